//! `cargo lab bench`: runs the benchmarks and says how sure their numbers are.
//!
//! A benchmark is a program that prints one JSON object: `{"unit": "ms", "series": {"recording
//! off": [..], "recording on": [..]}}`, one number for each interleaved repetition, so that a slow
//! moment of the machine falls on all series alike. Here medians, spread and ratios are made of
//! them: a ratio is the median over repetitions of a series to the first one in the same
//! repetition, which a machine that is slow for a while changes least. Nothing is asserted about
//! time.
//!
//! What is the same every time is counted once, and told as tables: `{"counts": ["submits", ..],
//! "tables": [["a network", [["a framework", [2, ..]], ..]], ..]}`. What whole trainings reach is
//! told beside its bars (`figures`).

mod before;
mod figures;

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use self::figures::Figures;
use crate::browser;
use crate::glow;
use crate::lab::{self, Lab};
use crate::prerequisites;
use crate::serve::Site;
use crate::site;
use crate::step::{self, Outcome, Steps};

/// Fewer repetitions than this say nothing about spread.
const FEWEST_REPETITIONS: usize = 10;

/// A benchmark by name, and where it runs.
struct Benchmark {
    name: &'static str,
    measures: &'static str,
    places: &'static [(&'static str, MakeCommand)],
    /// Whether a place is the page.
    needs_site: bool,
    /// Whether other frameworks can be measured beside ours.
    has_peers: bool,
    /// Whether it measures time, and does not count.
    is_timed: bool,
}

/// Makes the command that runs a benchmark in one place.
type MakeCommand = fn(&Lab) -> Result<Command>;

const ALL: [Benchmark; 9] = [
    Benchmark {
        name: "step",
        measures: "one training step of the digits network, with trace recording off and on",
        places: &[
            ("native", |lab| native(lab, "step.py")),
            ("Chromium", |lab| in_cell(lab, "step.py")),
        ],
        needs_site: true,
        has_peers: false,
        is_timed: true,
    },
    Benchmark {
        name: "train",
        measures: "one training step of the digits network, in a loop and by lab.train",
        places: &[
            ("native", |lab| native(lab, "train.py")),
            ("Chromium", |lab| in_cell(lab, "train.py")),
        ],
        needs_site: true,
        has_peers: false,
        is_timed: true,
    },
    Benchmark {
        name: "kernels",
        measures: "functions of a million elements, and a training step of a CNN",
        places: &[
            ("native", |lab| native(lab, "kernels.py")),
            ("Chromium", |lab| in_cell(lab, "kernels.py")),
        ],
        needs_site: true,
        has_peers: false,
        is_timed: true,
    },
    Benchmark {
        name: "page",
        measures: "products, passes and training steps in the page, on one thread",
        places: &[("Chromium", |lab| in_chromium(lab, "bench_page.mjs"))],
        needs_site: true,
        has_peers: true,
        is_timed: false,
    },
    Benchmark {
        name: "targets",
        measures: "lines of Python and training steps, as ratios to PyTorch beside their targets",
        places: &[("native", beside_torch)],
        needs_site: false,
        has_peers: false,
        is_timed: false,
    },
    Benchmark {
        name: "training",
        measures: "what whole trainings reach, and the cache of keys and values",
        places: &[
            ("native", |lab| native(lab, "training.py")),
            ("Chromium", |lab| in_chromium(lab, "bench_training.mjs")),
        ],
        needs_site: true,
        has_peers: false,
        is_timed: false,
    },
    Benchmark {
        name: "dispatches",
        measures: "what one training step asks of the GPU, counted",
        places: &[("Chromium", |lab| in_chromium(lab, "bench_dispatches.mjs"))],
        needs_site: true,
        has_peers: true,
        is_timed: false,
    },
    Benchmark {
        name: "ops",
        measures: "a call on eight elements, and a pass over 64 MiB beside a plain copy",
        places: &[
            ("native, overhead", |lab| native_ops(lab, "overhead")),
            ("native, bandwidth", |lab| native_ops(lab, "bandwidth")),
        ],
        needs_site: false,
        has_peers: false,
        is_timed: true,
    },
    Benchmark {
        name: "serve",
        measures: "predictions of a small perceptron by `glow serve`, beside FastAPI and PyTorch",
        places: &[
            ("1 client, rate", |lab| serving(lab, "1", "rate")),
            ("1 client, p99", |lab| serving(lab, "1", "p99")),
            ("8 clients, rate", |lab| serving(lab, "8", "rate")),
            ("8 clients, p99", |lab| serving(lab, "8", "p99")),
            ("64 clients, rate", |lab| serving(lab, "64", "rate")),
            ("64 clients, p99", |lab| serving(lab, "64", "p99")),
        ],
        needs_site: false,
        has_peers: false,
        is_timed: true,
    },
];

/// The folder of other frameworks, which the page needs none of.
const PEERS: &str = "bench/peers";

/// What a benchmark found.
enum Findings {
    Times {
        unit: String,
        series: Vec<Series>,
    },
    Counts {
        kinds: Vec<String>,
        tables: Vec<Table>,
    },
    Figures(Figures),
}

/// What a table is of, and rows by whose they are, with a count of every kind.
type Table = (String, Vec<(String, Vec<u64>)>);

/// Numbers of one series.
struct Series {
    name: String,
    median: f64,
    /// The quartiles.
    low: f64,
    high: f64,
    count: usize,
    /// To the first series, repetition by repetition: quartile, median, quartile.
    ratios: [f64; 3],
}

/// What the command line asks for.
pub(crate) struct Request<'a> {
    /// Which benchmark; all of them when absent.
    pub(crate) name: Option<&'a str>,
    /// Other frameworks too.
    pub(crate) peers: bool,
    /// Another checkout, to compare with.
    pub(crate) before: Option<&'a Path>,
    /// Where the numbers go as JSON.
    pub(crate) json: Option<&'a Path>,
}

/// Runs the named benchmark, or all of them.
pub(crate) fn run(lab: &Lab, steps: &mut Steps, request: &Request) -> Result<()> {
    let &Request {
        name,
        peers,
        before,
        json: file,
    } = request;
    let other = before.map(before::checkout).transpose()?;
    let chosen: Vec<_> = ALL
        .iter()
        .filter(|benchmark| name.is_none_or(|name| name == benchmark.name))
        .filter(|benchmark| name.is_some() || other.is_none() || benchmark.is_timed)
        .collect();
    if chosen.is_empty() {
        let names = ALL.each_ref().map(|benchmark| benchmark.name).join(", ");
        bail!(
            "no benchmark `{}`: there is {names}",
            name.unwrap_or_default()
        );
    }
    if chosen.iter().any(|benchmark| benchmark.needs_site) {
        site::build(lab, steps, true)?;
        steps.step("Chromium", || browser::ensure_chromium(lab))?;
        if let Some(other) = &other {
            before::build(other, steps)?;
        }
    }
    let has_peers = chosen.iter().any(|benchmark| benchmark.has_peers);
    if peers && !has_peers {
        println!("note: no other framework is measured beside this benchmark");
    }
    let peers = match peers && has_peers {
        true => Some(serve_peers(lab, steps)?),
        false => None,
    };
    let mut report = Vec::new();
    for benchmark in chosen {
        if let Some(other) = &other {
            report.extend(before::compare(lab, other, steps, benchmark)?);
            continue;
        }
        for (place, command) in benchmark.places {
            let mut findings = None;
            steps.step(&format!("{} · {place}", benchmark.name), || {
                let mut command = command(lab)?;
                if let Some(url) = &peers {
                    command.env("GLOW_PEERS_URL", url);
                }
                findings = Some(ask(&mut command)?);
                Ok(Outcome::Done)
            })?;
            println!("{}: {} ({place})", benchmark.name, benchmark.measures);
            if let Some(findings) = findings {
                findings.print();
                report.push(findings.json(benchmark.name, place));
            }
        }
    }
    if let Some(file) = file {
        lab::write(file, serde_json::to_string_pretty(&report)?.as_bytes())?;
    }
    Ok(())
}

/// `bench/step.py` in the terminal's Python.
fn native(lab: &Lab, file: &str) -> Result<Command> {
    let mut glow = step::command(glow::build(lab)?, &lab.root);
    glow.args(["python", &format!("bench/{file}")]);
    Ok(glow)
}

fn in_cell(lab: &Lab, file: &str) -> Result<Command> {
    let mut node = in_chromium(lab, "bench_cell.mjs")?;
    node.arg(file);
    Ok(node)
}

/// The Rust example that times single ops.
fn native_ops(lab: &Lab, which: &str) -> Result<Command> {
    let mut cargo = step::cargo(&lab.root);
    cargo.args([
        "run",
        "--quiet",
        "-p",
        "glowgrad",
        "--example",
        "02_bench_ops",
        "--",
        which,
    ]);
    Ok(cargo)
}

/// The servers, asked by a number of clients. The Python of `PYTHON` runs the other one.
fn serving(lab: &Lab, clients: &str, kind: &str) -> Result<Command> {
    let glow = glow::build(lab)?;
    let load = glow::build_example(lab, "load")?;
    let mut python = python(lab, "serve.py");
    python.args([glow, load]).args([clients, kind]);
    Ok(python)
}

/// The same file under `glow python` and under the Python of `PYTHON`, which needs PyTorch.
fn beside_torch(lab: &Lab) -> Result<Command> {
    let mut python = python(lab, "targets.py");
    python.arg(glow::build(lab)?);
    Ok(python)
}

/// A file of `bench/` in the Python of `PYTHON`.
fn python(lab: &Lab, file: &str) -> Command {
    let program = env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let mut python = step::command(program, &lab.root);
    python.arg(format!("bench/{file}"));
    python
}

/// A script of `tests/browser`, which runs a file of `bench/` in the free cell of the page.
fn in_chromium(lab: &Lab, script: &str) -> Result<Command> {
    let url = Site::new(site::dist(lab), "/").start(Some(0))?;
    let mut node = step::command("node", &lab.root);
    node.arg(format!("tests/browser/{script}"));
    node.env("GLOW_LAB_URL", url)
        .env("CHROMIUM", browser::find(lab)?.chromium);
    Ok(node)
}

/// Installs the other frameworks, and serves a page for them.
fn serve_peers(lab: &Lab, steps: &mut Steps) -> Result<String> {
    steps.step("npm packages of the peers", || {
        prerequisites::install_packages(lab, PEERS)
    })?;
    Site::new(lab.path(PEERS), "/").start(Some(0))
}

/// Runs a benchmark's program, and reads what it found.
fn ask(command: &mut Command) -> Result<Findings> {
    let (printed, passed) = step::run_and_keep(command, |line| line.starts_with('{'))?;
    if !passed {
        bail!("`{}` failed: its message is above", step::line(command));
    }
    let text = printed
        .kept
        .last()
        .with_context(|| format!("`{}` printed no JSON object", step::line(command)))?;
    parse(text)
}

fn parse(text: &str) -> Result<Findings> {
    let json: Value = serde_json::from_str(text).context("a benchmark's line is not JSON")?;
    if json.get("figures").is_some() {
        return Ok(Findings::Figures(Figures::parse(&json)?));
    }
    match json.get("counts") {
        Some(kinds) => parse_counts(kinds, &json["tables"]),
        None => parse_times(&json),
    }
}

fn parse_counts(kinds: &Value, tables: &Value) -> Result<Findings> {
    let kinds: Vec<String> =
        serde_json::from_value(kinds.clone()).context("`counts` does not name kinds")?;
    let tables: Vec<Table> =
        serde_json::from_value(tables.clone()).context("`tables` does not hold counts by name")?;
    let rows = || tables.iter().flat_map(|(_, rows)| rows);
    if let Some((name, _)) = rows().find(|(_, counts)| counts.len() != kinds.len()) {
        bail!("{name}: its counts are not one of each kind");
    }
    Ok(Findings::Counts { kinds, tables })
}

fn parse_times(json: &Value) -> Result<Findings> {
    let unit = json["unit"]
        .as_str()
        .context("a benchmark names no `unit`")?
        .to_owned();
    let series = json["series"]
        .as_object()
        .context("a benchmark has no `series`")?;
    let mut base: Option<Vec<f64>> = None;
    let series: Result<Vec<Series>> = series
        .iter()
        .map(|(name, values)| {
            let values = values.as_array().context("a series is not a list")?;
            let numbers: Option<Vec<f64>> = values.iter().map(Value::as_f64).collect();
            let numbers = numbers.context("a series holds what is not a number")?;
            let base = base.get_or_insert_with(|| numbers.clone());
            if numbers.len() != base.len() {
                bail!("{name}: its repetitions are not those of the first series");
            }
            Series::of(name, &numbers, base)
        })
        .collect();
    Ok(Findings::Times {
        unit,
        series: series?,
    })
}

impl Findings {
    fn print(&self) {
        match self {
            Findings::Times { unit, series } => print_times(unit, series),
            Findings::Counts { kinds, tables } => {
                for table in tables {
                    print!("{}", counts_as_text(kinds, table));
                }
            }
            Findings::Figures(figures) => print!("{}", figures.text()),
        }
    }

    fn json(&self, benchmark: &str, place: &str) -> Value {
        match self {
            Findings::Times { unit, series } => json!({
                "benchmark": benchmark, "place": place, "unit": unit,
                "series": series.iter().map(Series::json).collect::<Vec<_>>(),
            }),
            Findings::Counts { kinds, tables } => json!({
                "benchmark": benchmark, "place": place, "counts": kinds, "tables": tables,
            }),
            Findings::Figures(figures) => figures.json(benchmark, place),
        }
    }
}

impl Series {
    fn of(name: &str, values: &[f64], base: &[f64]) -> Result<Series> {
        if values.len() < FEWEST_REPETITIONS {
            bail!(
                "{name}: {} repetitions, but {FEWEST_REPETITIONS} are needed to speak of spread",
                values.len()
            );
        }
        let [low, median, high] = quartiles(values.to_vec());
        let ratios = values.iter().zip(base).map(|(value, base)| value / base);
        Ok(Series {
            name: name.to_owned(),
            median,
            low,
            high,
            count: values.len(),
            ratios: quartiles(ratios.collect()),
        })
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name, "median": self.median, "quartiles": [self.low, self.high],
            "count": self.count, "ratio": self.ratios[1],
            "ratio_quartiles": [self.ratios[0], self.ratios[2]],
        })
    }
}

fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|share| quantile(&values, share))
}

/// Linear between the neighbours, as NumPy does it.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = position.floor();
    let (low, high) = (sorted[below as usize], sorted[position.ceil() as usize]);
    low + (high - low) * (position - below)
}

fn print_times(unit: &str, series: &[Series]) {
    println!(
        "{:<28} {:>12} {:>25} {:>6}   ratio (quartiles)",
        "series",
        format!("median {unit}"),
        "quartiles",
        "runs"
    );
    for one in series {
        let quartiles = format!("{:.4} to {:.4}", one.low, one.high);
        let [low, ratio, high] = one.ratios;
        println!(
            "{:<28} {:>12.4} {quartiles:>25} {:>6}   {ratio:.3} ({low:.3} to {high:.3})",
            one.name, one.median, one.count
        );
    }
}

/// A table with, behind each count, its ratio to that of the first row.
fn counts_as_text(kinds: &[String], (of, rows): &Table) -> String {
    let mut text = format!("{of:<36}");
    for kind in kinds {
        text += &format!(" {kind:>12}   ratio");
    }
    text.push('\n');
    for (name, counts) in rows {
        text += &format!("{name:<36}");
        for (count, base) in counts.iter().zip(&rows[0].1) {
            text += &format!(" {count:>12} {:>7.2}", *count as f64 / *base as f64);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quartiles_are_those_of_numpy() {
        let values: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        let base: Vec<f64> = values.iter().map(|value| value * 2.0).collect();
        let series = Series::of("x", &values, &base).unwrap();
        assert_eq!((series.median, series.low, series.high), (5.5, 3.25, 7.75));
        assert_eq!(series.ratios, [0.5; 3]);
    }

    #[test]
    fn too_few_repetitions_are_refused() {
        let error = parse(r#"{"unit": "ms", "series": {"off": [1, 2, 3]}}"#)
            .err()
            .unwrap();
        assert!(error.to_string().contains("3 repetitions"), "{error}");
        assert!(parse("{}").is_err());
        let uneven = json!({ "unit": "ms", "series": { "a": vec![1.0; 12], "b": vec![1.0; 11] } });
        assert!(parse(&uneven.to_string()).is_err());
    }

    #[test]
    fn series_keep_their_names() {
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let text = json!({ "unit": "ms", "series": { "off": values, "on": values } }).to_string();
        let Findings::Times { unit, series } = parse(&text).unwrap() else {
            panic!("not times")
        };
        assert_eq!(unit, "ms");
        assert_eq!(
            series
                .iter()
                .map(|one| one.name.as_str())
                .collect::<Vec<_>>(),
            ["off", "on"]
        );
    }

    #[test]
    fn counts_are_told_beside_those_of_the_first_row() {
        let table = json!(["MLP", [["ours", [2, 50]], ["theirs", [9, 125]]]]);
        let text = json!({ "counts": ["submits", "dispatches"], "tables": [table] }).to_string();
        let Findings::Counts { kinds, tables } = parse(&text).unwrap() else {
            panic!("not counts")
        };
        let text = counts_as_text(&kinds, &tables[0]);
        let words: Vec<Vec<_>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(words[1], ["ours", "2", "1.00", "50", "1.00"]);
        assert_eq!(words[2], ["theirs", "9", "4.50", "125", "2.50"]);
        let uneven = json!({ "counts": ["submits"], "tables": [table] }).to_string();
        assert!(parse(&uneven).is_err());
    }
}
