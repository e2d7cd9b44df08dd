//! `cargo lab bench --before CHECKOUT`: the same benchmark in this checkout and in another one, in one run.
//!
//! Both are built by the toolchain of this command. They run in turns, and which one begins changes from round to round,
//! so that a slow moment of the machine falls on both alike. A ratio is the other checkout's median divided by this
//! one's in the same round: above 1 this checkout is faster.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::{Benchmark, Findings, Series, ask, quartiles};
use crate::lab::Lab;
use crate::step::{self, Outcome, Steps};

/// How often each checkout runs.
const ROUNDS: usize = 7;

/// One series in both checkouts.
#[derive(Debug)]
struct Row {
    name: String,
    before: f64,
    after: f64,
    /// Before divided by after, round by round: quartile, median, quartile.
    ratios: [f64; 3],
}

/// Builds the other checkout's page with its own command; `glow` and the examples are built where they are run.
pub(super) fn build(other: &Lab, steps: &mut Steps) -> Result<()> {
    steps.step("the other checkout's page", || {
        let mut build = step::cargo(&other.root);
        build.args(["lab", "build"]);
        step::run(&mut build, "the other checkout's own message is above")?;
        Ok(Outcome::Done)
    })
}

/// Runs a benchmark in both checkouts by turns, prints its rows and returns them.
pub(super) fn compare(
    lab: &Lab,
    other: &Lab,
    steps: &mut Steps,
    benchmark: &Benchmark,
) -> Result<Vec<Value>> {
    let mut report = Vec::new();
    for (place, command) in benchmark.places {
        let mut rounds = Vec::new();
        let mut unit = String::new();
        let name = format!("{} · {place}, before and after", benchmark.name);
        steps.step(&name, || {
            for round in 0..ROUNDS {
                let run = |lab: &Lab| ask(&mut command(lab)?);
                let (before, after) = match round % 2 {
                    0 => (run(other)?, run(lab)?),
                    _ => {
                        let after = run(lab)?;
                        (run(other)?, after)
                    }
                };
                let (before, after) = (times(before)?, times(after)?);
                unit = after.0;
                rounds.push((before.1, after.1));
            }
            Ok(Outcome::Done)
        })?;
        let rows = rows(&rounds)?;
        println!("{}: {} ({place})", benchmark.name, benchmark.measures);
        print(&unit, &rows);
        report.push(json!({
            "benchmark": benchmark.name, "place": place, "unit": unit,
            "rows": rows.iter().map(Row::json).collect::<Vec<_>>(),
        }));
    }
    Ok(report)
}

fn times(findings: Findings) -> Result<(String, Vec<Series>)> {
    match findings {
        Findings::Times { unit, series } => Ok((unit, series)),
        Findings::Counts { .. } => {
            bail!("it counts, and is the same each time: compare the tables of two runs")
        }
        Findings::Figures(_) => bail!("it tells what trainings reach: compare two runs of it"),
    }
}

/// One row for each series of this checkout.
fn rows(rounds: &[(Vec<Series>, Vec<Series>)]) -> Result<Vec<Row>> {
    let Some((_, first)) = rounds.first() else {
        bail!("no round ran");
    };
    let median_of = |all: &[Series], name: &str| {
        let series = all.iter().find(|series| series.name == name);
        series.map(|series| series.median)
    };
    let mut rows = Vec::new();
    for Series { name, .. } in first {
        let pairs: Option<Vec<(f64, f64)>> = rounds
            .iter()
            .map(|(before, after)| Some((median_of(before, name)?, median_of(after, name)?)))
            .collect();
        let Some(pairs) = pairs else {
            println!("{name}: not measured in both checkouts");
            continue;
        };
        let middle = |values: Vec<f64>| quartiles(values)[1];
        rows.push(Row {
            name: name.clone(),
            before: middle(pairs.iter().map(|pair| pair.0).collect()),
            after: middle(pairs.iter().map(|pair| pair.1).collect()),
            ratios: quartiles(pairs.iter().map(|pair| pair.0 / pair.1).collect()),
        });
    }
    Ok(rows)
}

fn print(unit: &str, rows: &[Row]) {
    println!(
        "{:<44} {:>12} {:>12}   before / after (quartiles)",
        "series",
        format!("before {unit}"),
        format!("after {unit}"),
    );
    for row in rows {
        let [low, ratio, high] = row.ratios;
        println!(
            "{:<44} {:>12.4} {:>12.4}   {ratio:.3} ({low:.3} to {high:.3})",
            row.name, row.before, row.after
        );
    }
}

impl Row {
    fn json(&self) -> Value {
        json!({
            "name": self.name, "before": self.before, "after": self.after,
            "ratio": self.ratios[1], "ratio_quartiles": [self.ratios[0], self.ratios[2]],
        })
    }
}

/// The checkout in this folder.
pub(super) fn checkout(folder: &Path) -> Result<Lab> {
    if !folder.join("crates/xtask").is_dir() {
        bail!(
            "{} is no glowgrad checkout: make one with `git worktree add {} COMMIT`",
            folder.display(),
            folder.display()
        );
    }
    Lab::at(folder.canonicalize()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, median: f64) -> Series {
        let values = vec![median; 10];
        Series::of(name, &values, &values).unwrap()
    }

    #[test]
    fn a_ratio_above_one_is_faster_now() {
        let round = |before, after| (vec![series("step", before)], vec![series("step", after)]);
        let rows = rows(&[round(2.0, 1.0), round(3.0, 1.0), round(8.0, 2.0)]).unwrap();
        assert_eq!((rows[0].before, rows[0].after), (3.0, 1.0));
        assert_eq!(rows[0].ratios[1], 3.0);
    }

    #[test]
    fn a_series_of_one_checkout_alone_has_no_row() {
        let round = (vec![series("old", 1.0)], vec![series("new", 1.0)]);
        assert!(rows(&[round]).unwrap().is_empty());
    }

    #[test]
    fn a_folder_without_a_checkout_is_refused_with_the_remedy() {
        let error = checkout(Path::new("/nowhere")).err().unwrap().to_string();
        assert!(error.contains("git worktree add /nowhere"), "{error}");
    }
}
