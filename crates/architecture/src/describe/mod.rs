//! A network from a sentence of plain English, offline, by a grammar that `docs/describe.md` documents.
//!
//! The way of a request: [`tokens`] splits it, [`items`] finds the longest phrases of the table in [`words`], [`list`] takes
//! the layers of a list, [`numbers`] gives each number to its word, [`read`] puts facts into slots and notices what is said
//! twice, [`resolve`] decides what contradicts itself and what is drawn, [`build`] draws it, and [`train`] says how it is
//! trained. What a sentence says that has no place in the network is told as unclear; nothing is dropped silently.
//!
//! The grammar knows words, not sentences: what they mean together beyond a number and its unit is left to other means.

mod build;
mod data;
mod grammar;
mod items;
mod list;
mod numbers;
mod read;
mod resolve;
mod slots;
mod tokens;
mod train;
mod units;
mod words;

use serde::Serialize;

use crate::analysis::analyse;
use crate::model::Architecture;

pub use grammar::tables;
use items::What;
use read::Reader;
use slots::{Request, Slot, Value};

/// The longest request, in bytes.
pub const LONGEST_REQUEST: usize = 2_000;

/// Requests that show how one is said.
pub const EXAMPLES: [&str; 3] = [
    "ResNet for CIFAR-10 with dropout 0.3",
    "LSTM 2×128 that predicts the next character",
    "autoencoder with a bottleneck of 2",
];

/// Words of a request with what they were read as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// The words, exactly as the request has them.
    pub words: String,
    /// The byte at which they begin.
    pub start: usize,
    /// The byte after them.
    pub end: usize,
    /// What they mean, or why they mean nothing here.
    pub meaning: String,
}

/// What was made of a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// The network; none where the request names none.
    pub net: Option<Architecture>,
    /// What was understood.
    pub understood: Vec<Said>,
    /// What was not said and is assumed, in sentences.
    pub assumed: Vec<String>,
    /// What was not understood, or has no place in the network.
    pub unclear: Vec<Said>,
    /// What contradicts itself, in sentences, with what counts.
    pub contradictions: Vec<String>,
}

/// Reads a request.
///
/// ```
/// use glowgrad_architecture::{analyse, describe::describe};
///
/// let found = describe("MLP with hidden layers of 256 and 128 for MNIST, dropout 30 %");
/// let net = found.net.expect("a network");
/// assert_eq!(analyse(&net).outputs[0].to_string(), "[N, 10]");
/// assert!(found.unclear.is_empty() && found.contradictions.is_empty());
///
/// let nonsense = describe("purple elephants dance");
/// assert!(nonsense.net.is_none() && nonsense.unclear.len() == 3);
/// ```
pub fn describe(text: &str) -> Description {
    if text.len() > LONGEST_REQUEST {
        return Description {
            net: None,
            understood: Vec::new(),
            assumed: vec![format!(
                "A request has at most {LONGEST_REQUEST} bytes, and this one has {}.",
                text.len()
            )],
            unclear: Vec::new(),
            contradictions: Vec::new(),
        };
    }
    let (items, slips) = items::items(text);
    let unknown = (items.iter())
        .filter(|item| matches!(item.what, What::Unknown(_)))
        .count();
    let mut reader = Reader {
        text,
        items,
        request: Request::default(),
        understood: Vec::new(),
        unclear: Vec::new(),
        missing: Vec::new(),
        is_network: false,
        excluded: Vec::new(),
    };
    for slip in &slips {
        let words = &text[slip.start..slip.end];
        reader
            .request
            .assume(format!("“{words}” is read as “{}”.", slip.word));
    }
    let listed = reader.list();
    reader.numbers();
    reader.phrases();
    reader.exclusions();
    reader.rest();
    let net = match listed {
        Some(list) => list::draw(&mut reader, &list),
        // A graph network on MNIST is no CNN.
        None if !reader.request.has(Slot::Family) && !reader.missing.is_empty() => None,
        None => resolve::plan(&mut reader.request, reader.is_network, unknown)
            .and_then(|plan| build::draw(&reader.request, &plan)),
    };
    finished(reader, net)
}

/// The answer, with the facts that have no place in the network.
fn finished(mut reader: Reader<'_>, net: Option<Architecture>) -> Description {
    let text = reader.text;
    let net = net.and_then(|net| {
        let analysis = analyse(&net);
        let fault = (analysis.nodes.iter())
            .filter(|(_, facts)| !facts.is_waiting)
            .find_map(|(path, facts)| Some(format!("{path}: {}", facts.fault.as_ref()?)))
            .or_else(|| analysis.faults.first().cloned());
        let read = match fault {
            None => Architecture::parse(&net.to_json()).map_err(|error| error.message),
            Some(fault) => Err(fault),
        };
        if let Err(fault) = &read {
            reader.request.assume(format!(
                "The sizes do not go together, and no network is drawn. {fault}"
            ));
        }
        read.ok()
    });
    if let Some(net) = &net {
        let unread = reader.request.unread();
        for (slot, told) in unread {
            let says_nothing = matches!(
                told.value,
                Value::Flag(false) | Value::Name("none") | Value::Number(0.0)
            );
            if says_nothing
                || matches!(slot, Slot::Kind | Slot::Task | Slot::Bias)
                    && told.value != Value::Flag(false)
            {
                continue;
            }
            if !reader.request.is_shared(&told) {
                reader
                    .understood
                    .retain(|said| said.start != told.start || said.end != told.end);
            }
            reader.doubt(
                told.start,
                told.end,
                format!("{} has no place in {}", slot.name(), net.name),
            );
        }
    } else {
        let examples: Vec<String> = EXAMPLES.iter().map(|text| format!("“{text}”")).collect();
        reader.request.assume(format!(
            "No network that can be drawn is named. Say its kind, its data and its sizes, for example {}.",
            examples.join(", ")
        ));
    }
    apart(text, &mut reader.understood);
    reader.unclear.sort_by_key(|said| (said.start, said.end));
    reader.unclear.dedup();
    Description {
        net,
        understood: reader.understood,
        assumed: reader.request.assumed.take(),
        unclear: reader.unclear,
        contradictions: reader.request.contradictions.take(),
    }
}

/// Sorts what was understood; words that reach into the next ones end before them, so that a page can mark each.
fn apart(text: &str, all: &mut Vec<Said>) {
    all.sort_by_key(|said| (said.start, said.end));
    let mut parted: Vec<Said> = Vec::new();
    for said in all.drain(..) {
        while let Some(last) = parted.last_mut()
            && last.end > said.start
        {
            if last.start == said.start {
                break;
            }
            let words = text[last.start..said.start].trim_end();
            last.words = words.to_owned();
            last.end = last.start + words.len();
        }
        match parted.last_mut() {
            // The same words say both.
            Some(last) if last.start == said.start => {
                last.meaning = format!("{}; {}", last.meaning, said.meaning);
                last.words = said.words;
                last.end = said.end;
            }
            _ => parted.push(said),
        }
    }
    *all = parted;
}
