//! `glow lesson run`: a lesson from top to bottom. Prose is written, cells run as they are reached,
//! exercises report their checks, quizzes show their answers.

use anyhow::Result;
use glowgrad_lesson::{
    Block, Choice, Lesson, Need, Prediction, QuizOption, Rich, pair, points, shape_as_tuple,
    six_digits,
};
use glowgrad_session::protocol::{CheckReport, ErrorInfo, Event, StageGraph, TraceEvent};

use crate::chart::Charts;
use crate::figure::Figures;
use crate::lab::{Answer, Talk};
use crate::plot::{self, Plot};
use crate::prose;
use crate::terminal::{Margin, Role, Span, Terminal, complain};
use crate::{Ending, outline};

/// How far a lesson's own code stands in.
const INDENT: usize = 2;
/// How many characters a curve is wide.
const CURVE: usize = 25;

/// Reads a lesson. Ends at the first cell that fails.
pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    talk: &mut Talk,
    lesson: &Lesson,
    solve: bool,
) -> Result<Ending> {
    head(terminal, lesson)?;
    let mut ending = Ending::Good;
    for block in &lesson.blocks {
        match block {
            Block::Section { title, .. } => {
                let rule = "─".repeat(terminal.width().saturating_sub(title.chars().count() + 1));
                let rule = terminal.paint(Role::Quiet, &rule);
                let title = terminal.paint(Role::Heading, title);
                terminal.line(&format!("{title} {rule}"))?;
                terminal.line("")?;
            }
            Block::Prose { html } => prose::write(terminal, 0, html)?,
            Block::Cell { id, source } => {
                prose::write_code(terminal, INDENT, source)?;
                let answer = show(terminal, |seen| talk.run(id, source, seen))?;
                if let Some(error) = &answer.error {
                    write_error(terminal, error)?;
                    return Ok(if answer.was_stopped() {
                        Ending::Stopped
                    } else {
                        Ending::Bad
                    });
                }
                terminal.line("")?;
                for (kind, value) in predictions_of(lesson, id) {
                    let answer = talk.evaluate(value)?.text.unwrap_or_default();
                    let answer = terminal.paint(Role::Quiet, &answered(kind, &answer));
                    terminal.line(&format!("  {answer}"))?;
                    terminal.line("")?;
                }
            }
            Block::Predict { html, answer, .. } => {
                let heading = terminal.paint(Role::Heading, "Predict");
                terminal.line(&heading)?;
                prose::write(terminal, 0, html)?;
                let listed: &[Choice] = match answer {
                    Prediction::Choice { options } => options,
                    Prediction::Edge { nodes } => nodes,
                    _ => &[],
                };
                for option in listed {
                    terminal.stream("", "  - ")?;
                    write_inline(terminal, &option.html)?;
                }
                let elsewhere = match answer {
                    Prediction::Edge { .. } => {
                        Some("Here the page draws the edge that you choose: cargo lab")
                    }
                    Prediction::Drawing { .. } => {
                        Some("Here the page has axes to draw the curve on: cargo lab")
                    }
                    _ => None,
                };
                if let Some(elsewhere) = elsewhere {
                    let elsewhere = terminal.paint(Role::Quiet, elsewhere);
                    terminal.line(&format!("  {elsewhere}"))?;
                }
                if !listed.is_empty() || elsewhere.is_some() {
                    terminal.line("")?;
                }
            }
            Block::Exercise {
                id,
                title,
                html,
                needs,
                start,
                solution,
                checks,
                ..
            } => {
                let heading = terminal.paint(Role::Heading, &format!("Exercise: {title}"));
                terminal.line(&heading)?;
                terminal.line("")?;
                prose::write(terminal, 0, html)?;
                if let Some(sentence) = needs_of(needs) {
                    let sentence = terminal.paint(Role::Quiet, &sentence);
                    terminal.line(&format!("  {sentence}"))?;
                    terminal.line("")?;
                }
                let (source, whose) = if solve {
                    (solution, "The solution")
                } else {
                    (start, "The start")
                };
                prose::write_code(terminal, INDENT, source)?;
                let answer = show(terminal, |seen| talk.check(id, source, checks, seen))?;
                if answer.was_stopped() {
                    return Ok(Ending::Stopped);
                }
                if !write_answer(terminal, whose, &answer)? && solve {
                    ending = Ending::Bad;
                }
            }
            Block::Quiz { html, options, .. } => quiz(terminal, html, options)?,
            Block::Widget { kind, .. } => {
                let what = match kind.as_str() {
                    "digit-pad" => "Here the page has a field to draw a digit in: cargo lab",
                    _ => "Here the page has something to play with: cargo lab",
                };
                let what = terminal.paint(Role::Quiet, what);
                terminal.line(&format!("  {what}"))?;
                terminal.line("")?;
            }
        }
    }
    Ok(ending)
}

/// The predictions that a cell's run answers: their kinds, and the expressions that give the answers.
fn predictions_of<'a>(
    lesson: &'a Lesson,
    cell: &str,
) -> impl Iterator<Item = (&'a Prediction, &'a str)> {
    lesson.blocks.iter().filter_map(move |block| match block {
        Block::Predict {
            cell: of,
            value,
            answer,
            ..
        } if of == cell => Some((answer, value.as_str())),
        _ => None,
    })
}

/// What a run gave for a prediction, as a sentence.
fn answered(kind: &Prediction, printed: &str) -> String {
    match kind {
        Prediction::Shape => format!("The shape is {}", shape_as_tuple(printed)),
        Prediction::Edge { .. } => match pair(printed) {
            Some((from, to)) => format!("The edge is {from} → {to}"),
            None => format!("The edge is {printed}"),
        },
        Prediction::Drawing { x, .. } => match points(printed, *x) {
            Some(points) => {
                let (from, to) = (plot::number(x.from), plot::number(x.to));
                let heights: Vec<f64> = points.iter().map(|point| point.1).collect();
                let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
                let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                format!(
                    "The curve is {}  between {} and {}, for x from {from} to {to}",
                    plot::sparkline(&heights, CURVE),
                    plot::number(low),
                    plot::number(high),
                )
            }
            None => format!("The curve is {printed}"),
        },
        Prediction::Number { .. } => format!("The answer is {}", six_digits(printed)),
        Prediction::Choice { .. } => format!("The answer is {printed}"),
    }
}

/// Which cells an exercise builds on; none where it stands alone.
fn needs_of(needs: &[Need]) -> Option<String> {
    let each: Vec<String> = needs
        .iter()
        .map(|need| format!("{} of {}", need.names.join(", "), need.cell))
        .collect();
    (!each.is_empty()).then(|| format!("This exercise uses {}.", each.join(" and ")))
}

fn head(terminal: &mut Terminal<'_>, lesson: &Lesson) -> Result<()> {
    let about = format!(
        "{} · {} · {} min",
        lesson.number, lesson.part, lesson.minutes
    );
    let about = terminal.paint(Role::Quiet, &about);
    let title = terminal.paint(Role::Heading, &lesson.title);
    terminal.line("")?;
    terminal.line(&about)?;
    terminal.line(&title)?;
    let outcome = Span::new(Role::Emphasis, lesson.outcome.replace('`', ""));
    terminal.paragraph(Margin::default(), &[outcome])?;
    terminal.line("")?;
    Ok(())
}

/// Runs something and writes what it prints, plots and lights up, as it comes.
pub(crate) fn show(
    terminal: &mut Terminal<'_>,
    ask: impl FnOnce(&mut dyn FnMut(&Event) -> Result<()>) -> Result<Answer>,
) -> Result<Answer> {
    let mut plot = Plot::default();
    let mut figures = Figures::default();
    let mut charts = Charts::default();
    let margin = " ".repeat(INDENT);
    let answer = ask(&mut |event| {
        match event {
            Event::Stdout { text, .. } => terminal.stream(&margin, text)?,
            Event::Notice { text, .. } => complain(text),
            Event::Metric { series, y, .. } => plot.add(terminal, series, *y)?,
            Event::Figure { figure, .. } => figures.add(terminal, &margin, figure)?,
            Event::Chart { chart, .. } => charts.add(chart.place, &chart.text),
            Event::Progress {
                label, done, total, ..
            } => terminal.status(&progress(label, *done, *total))?,
            _ => {}
        }
        Ok(())
    })?;
    figures.finish(terminal, &margin)?;
    charts.finish(terminal, &margin)?;
    plot.finish(terminal, &margin)?;
    if let Some(graph) = &answer.graph
        && has_backward(graph)
    {
        terminal.line("")?;
        outline::write(terminal, INDENT, graph)?;
    }
    Ok(answer)
}

fn has_backward(graph: &StageGraph) -> bool {
    let walks = |event: &TraceEvent| matches!(event, TraceEvent::Backward { .. });
    graph.events.iter().any(walks)
}

fn progress(label: &str, done: f64, total: f64) -> String {
    if total > 0.0 {
        format!("{label} {:.0} %", (100.0 * done / total).clamp(0.0, 100.0))
    } else {
        label.to_string()
    }
}

/// Writes a traceback as Python prints it.
pub(crate) fn write_error(terminal: &mut Terminal<'_>, error: &ErrorInfo) -> Result<()> {
    let text = match error.traceback.trim_end() {
        "" => format!("{}: {}", error.kind, error.message),
        traceback => traceback.to_string(),
    };
    for line in text.lines() {
        let line = terminal.paint(Role::Bad, line);
        terminal.line(&format!("  {line}"))?;
    }
    Ok(())
}

/// Writes what the checks found; returns whether all passed.
fn write_answer(terminal: &mut Terminal<'_>, whose: &str, answer: &Answer) -> Result<bool> {
    if let Some(error) = &answer.error {
        write_error(terminal, error)?;
    }
    let passed = match &answer.report {
        Some(report) => {
            write_report(terminal, report)?;
            report.passed
        }
        None => false,
    };
    let verdict = if passed {
        terminal.paint(Role::Good, &format!("{whose} passes."))
    } else {
        terminal.paint(Role::Bad, &format!("{whose} does not pass yet."))
    };
    terminal.line(&format!("  {verdict}"))?;
    terminal.line("")?;
    Ok(passed)
}

/// Writes one line for each check, and the counter-example of the first that failed.
pub(crate) fn write_report(terminal: &mut Terminal<'_>, report: &CheckReport) -> Result<()> {
    let mut has_failed = false;
    for check in &report.checks {
        let mark = if check.passed {
            terminal.paint(Role::Good, "✓")
        } else {
            terminal.paint(Role::Bad, "✗")
        };
        terminal.line(&format!("  {mark} {}", check.name))?;
        if !check.passed && !has_failed {
            has_failed = true;
            for line in check.message.lines() {
                terminal.line(&format!("      {line}"))?;
            }
            if let Some(line) = check.line {
                terminal.line(&format!("      in line {line} of your answer"))?;
            }
        }
    }
    Ok(())
}

/// Writes a question, its options, and why the right one is right.
fn quiz(terminal: &mut Terminal<'_>, question: &Rich, options: &[QuizOption]) -> Result<()> {
    prose::write(terminal, 0, question)?;
    let letter = |index: usize| char::from(b'a' + (index % 26) as u8);
    for (index, option) in options.iter().enumerate() {
        terminal.stream("", &format!("  {}) ", letter(index)))?;
        write_inline(terminal, &option.html)?;
    }
    for (index, option) in options.iter().enumerate() {
        if option.correct {
            let answer = terminal.paint(Role::Quiet, &format!("Answer: {}.", letter(index)));
            terminal.line("")?;
            terminal.line(&format!("  {answer}"))?;
            prose::write(terminal, INDENT, &option.explanation)?;
        }
    }
    Ok(())
}

/// Writes a short text behind what stands on the line already.
fn write_inline(terminal: &mut Terminal<'_>, text: &Rich) -> Result<()> {
    let mut bytes = Vec::new();
    terminal.beside(&mut bytes, 5, |inner| prose::write(inner, 0, text))?;
    let text = String::from_utf8_lossy(&bytes);
    for (index, line) in text.trim_end().lines().enumerate() {
        let margin = if index == 0 { "" } else { "     " };
        terminal.stream(margin, &format!("{line}\n"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use glowgrad_lesson::Axis;

    use super::*;

    #[test]
    fn an_edge_and_a_curve_are_told_in_a_line() {
        let edge = Prediction::Edge { nodes: Vec::new() };
        assert_eq!(answered(&edge, "('x', 'y')"), "The edge is x → y");
        assert_eq!(answered(&edge, "None"), "The edge is None");
        let drawing = Prediction::Drawing {
            x: Axis { from: 0.0, to: 2.0 },
            y: Axis { from: 0.0, to: 1.0 },
            within: None,
        };
        assert_eq!(
            answered(&drawing, "[0.0, 0.5, 1.0]"),
            "The curve is ▁▅█  between 0 and 1, for x from 0 to 2"
        );
        assert_eq!(answered(&drawing, "None"), "The curve is None");
    }
}
