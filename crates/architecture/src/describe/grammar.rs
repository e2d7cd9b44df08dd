//! The grammar's tables as Markdown, for `docs/describe.md`.

use super::data::{DATA_SETS, Sample};
use super::units::UNITS;
use super::words::{Constant, HEADINGS, Meaning};

/// The tables of phrases: what is said, and what it means.
///
/// ```
/// let tables = glowgrad_architecture::describe::tables();
/// assert!(tables.contains("CIFAR 10") && tables.contains("batch size"));
/// ```
pub fn tables() -> String {
    let mut text = String::new();
    for heading in HEADINGS {
        text.push_str(&format!(
            "### {}\n\n| Said | Means |\n|---|---|\n",
            heading.title
        ));
        for entry in heading.entries {
            let words: Vec<&str> = entry.words.split('|').map(str::trim).collect();
            text.push_str(&format!(
                "| {} | {} |\n",
                words.join(", "),
                meaning(&entry.meaning)
            ));
        }
        text.push('\n');
    }
    text.push_str(
        "### Numbers\n\n| Said | Its number stands | Is | From | To |\n|---|---|---|---|---|\n",
    );
    for unit in UNITS {
        let words: Vec<&str> = unit.words.split('|').map(str::trim).collect();
        let (name, least, most) = unit.slot().facts();
        let name = match (unit.before, unit.after) {
            (Some(before), Some(after)) if before != after => {
                format!("before it {}, after it {}", before.name(), after.name())
            }
            _ => name.to_owned(),
        };
        text.push_str(&format!(
            "| {} | {}{} | {name} | {least} | {most} |\n",
            words.join(", "),
            unit.place(),
            if unit.many { "; several" } else { "" },
        ));
    }
    text.push_str(
        "\n### Data sets\n\n| Said | A sample | Classes | Trained with |\n|---|---|---|---|\n",
    );
    for data in DATA_SETS {
        let words: Vec<&str> = data.words.split('|').map(str::trim).collect();
        let sample = match data.sample {
            Sample::Image(c, h, w) => format!("an image of {c} × {h} × {w}"),
            Sample::Table(n) => format!("{n} numbers"),
            Sample::Text(vocabulary, length) => {
                format!("{length} tokens out of {vocabulary}")
            }
            Sample::Series(length, features) => {
                format!("{length} steps of {features}")
            }
        };
        let classes = data
            .classes
            .map_or_else(|| "a number".to_owned(), |n| n.to_string());
        let classes = match data.sample {
            Sample::Text(..) if data.classes.is_none() => "the next token".to_owned(),
            _ => classes,
        };
        let with = if data.training.is_empty() {
            "random samples"
        } else {
            data.training
        };
        text.push_str(&format!(
            "| {} | {sample} | {classes} | {with} |\n",
            words.join(", ")
        ));
    }
    text
}

fn meaning(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Is(slot, name) => format!("{}: {name}", slot.name()),
        Meaning::Says(all) => {
            let all: Vec<String> = (all.iter())
                .map(|(slot, constant)| {
                    let value = match constant {
                        Constant::Number(x) => x.to_string(),
                        Constant::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
                        Constant::Name(name) => (*name).to_owned(),
                    };
                    format!("{}: {value}", slot.name())
                })
                .collect();
            all.join("; ")
        }
        Meaning::Missing(name, "") => format!("{name}: refused"),
        Meaning::Missing(name, near) => format!("{name}: {near} is drawn"),
        Meaning::Layer(name) => (*name).to_owned(),
        Meaning::Network => "a network of a kind that the rest decides".to_owned(),
        Meaning::Filler | Meaning::Unit(_) => "nothing".to_owned(),
        Meaning::Not => "what follows is taken out".to_owned(),
        Meaning::And => "joins what stands beside it".to_owned(),
        Meaning::Then => "in a list, the next layer".to_owned(),
    }
}
