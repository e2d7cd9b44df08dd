//! `glow python FILE [--trace OUT]` and `glow graph FILE --svg OUT`: a script of the reader's own.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use glowgrad_session::protocol::{Event, StageGraph};

use crate::chart::Charts;
use crate::figure::Figures;
use crate::lab::{Answer, NewLab, Talk};
use crate::plot::Plot;
use crate::terminal::{Terminal, complain, shown};
use crate::{Ending, svg, trace};

/// Runs a script; what it prints goes out as it comes, a traceback to standard error, and what its
/// last step did to `trace`. A script that fails has its trace too, as far as it came.
pub(crate) fn python(
    terminal: &mut Terminal<'_>,
    new_lab: NewLab<'_>,
    file: &Path,
    trace: Option<&Path>,
) -> Result<Ending> {
    let source = read(file)?;
    let answer = run(terminal, new_lab, file, &source)?;
    if let Some(out) = trace {
        write_trace(terminal, answer.graph.as_ref(), out)?;
    }
    ending(file, &answer)
}

fn write_trace(terminal: &mut Terminal<'_>, graph: Option<&StageGraph>, out: &Path) -> Result<()> {
    let text = match graph {
        Some(graph) => trace::text(graph),
        None => "no step: nothing was computed with a tensor\n".to_owned(),
    };
    if out.as_os_str() == "-" {
        for line in text.lines() {
            terminal.line(line)?;
        }
        return Ok(());
    }
    fs::write(out, shown(&text).as_ref()).with_context(|| format!("cannot write {}", out.display()))
}

/// Runs a script and draws the last graph it made.
pub(crate) fn graph(
    terminal: &mut Terminal<'_>,
    new_lab: NewLab<'_>,
    file: &Path,
    out: &Path,
) -> Result<Ending> {
    let source = read(file)?;
    let answer = run(terminal, new_lab, file, &source)?;
    let ending = ending(file, &answer)?;
    if ending != Ending::Good {
        return Ok(ending);
    }
    let Some(mut graph) = answer.graph.filter(|graph| !graph.nodes.is_empty()) else {
        bail!(
            "{}: no graph to draw: compute with a tensor that has requires_grad=True",
            file.display()
        );
    };
    if graph.width == 0.0 {
        let flow = graph.flow;
        glowgrad_session::place(&mut graph, flow);
    }
    let title = file.file_name().unwrap_or_default().to_string_lossy();
    fs::write(out, svg::draw(&graph, &title))
        .with_context(|| format!("cannot write {}", out.display()))?;
    Ok(Ending::Good)
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn run(
    terminal: &mut Terminal<'_>,
    new_lab: NewLab<'_>,
    file: &Path,
    source: &str,
) -> Result<Answer> {
    let mut plot = Plot::default();
    let mut figures = Figures::default();
    let mut charts = Charts::default();
    let name = file.display().to_string();
    let answer = Talk::new(new_lab()?).run(&name, source, &mut |event| {
        match event {
            Event::Stdout { text, .. } => terminal.pass(text)?,
            Event::Stderr { text, .. } => terminal.pass_errors(text)?,
            Event::Notice { text, .. } => complain(text),
            Event::Metric { series, y, .. } => plot.add(terminal, series, *y)?,
            Event::Figure { figure, .. } => figures.add(terminal, "", figure)?,
            Event::Chart { chart, .. } => charts.add(chart.place, &chart.text),
            _ => {}
        }
        Ok(())
    })?;
    figures.finish(terminal, "")?;
    // What a script prints may be another program's input.
    match terminal.is_live() {
        true => charts.finish(terminal, "")?,
        false => charts.complain_unseen(),
    }
    plot.finish(terminal, "")?;
    Ok(answer)
}

/// A syntax error is one line, as the whole script is at fault; `sys.exit` ends with its code, as Python
/// does; what was raised has its traceback.
fn ending(file: &Path, answer: &Answer) -> Result<Ending> {
    if answer.was_stopped() {
        return Ok(Ending::Stopped);
    }
    let Some(error) = &answer.error else {
        return Ok(if answer.ok { Ending::Good } else { Ending::Bad });
    };
    if let Some(code) = error.exit_code {
        if error.message != code.to_string() {
            complain(&error.message);
        }
        // A system keeps the lowest byte of it.
        return Ok(Ending::Exit(code as u8));
    }
    let is_syntax = matches!(
        error.kind.as_str(),
        "SyntaxError" | "IndentationError" | "TabError"
    );
    if is_syntax || error.traceback.trim().is_empty() {
        match answer.failure() {
            Some(why) => bail!("{why}"),
            None => bail!("{}: it failed", file.display()),
        }
    }
    complain(error.traceback.trim_end());
    Ok(Ending::Bad)
}
