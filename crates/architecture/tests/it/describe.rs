//! Requests in plain English: what is drawn, what is told, and that nothing panics.
//!
//! `describe.json` holds the phrasings. A phrasing says everything that comes out: words that are unclear are named one by
//! one, and so are the contradictions by a part of their sentence; what is not said there must not be in the answer.

use std::collections::BTreeSet;

use glowgrad_architecture::describe::{Description, EXAMPLES, LONGEST_REQUEST, describe, tables};
use glowgrad_architecture::{Architecture, analyse, asked, python, training};
use serde::Deserialize;
use serde_json::{Value, json};

/// A phrasing with what is to come out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The request.
    say: String,
    /// The network's name; null where none is drawn.
    net: Option<String>,
    /// The shape of its input.
    #[serde(default, rename = "in")]
    input: String,
    /// The shapes of its outputs.
    #[serde(default)]
    out: Vec<String>,
    /// The number of parameters.
    #[serde(default)]
    parameters: Option<u64>,
    /// Words that are unclear, exactly these.
    #[serde(default)]
    unclear: Vec<String>,
    /// A part of each contradiction, exactly so many.
    #[serde(default)]
    contradictions: Vec<String>,
    /// Types of nodes in the network's order, its blocks left out.
    #[serde(default)]
    kinds: Vec<String>,
    /// Types that some node or block has.
    #[serde(default)]
    has: Vec<String>,
    /// Types that none has.
    #[serde(default)]
    lacks: Vec<String>,
    /// Members of the training.
    #[serde(default)]
    training: serde_json::Map<String, Value>,
    /// Parts of assumptions.
    #[serde(default)]
    assumed: Vec<String>,
    /// Meanings that were understood, as parts.
    #[serde(default)]
    understood: Vec<String>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("describe.json")).expect("phrasings of this form")
}

/// Types of all nodes, those in blocks and in a `Sequential` too.
fn kinds(net: &Architecture) -> Vec<&str> {
    let blocks = net.blocks.iter().flat_map(|block| &block.nodes);
    blocks
        .chain(&net.nodes)
        .flat_map(|node| {
            std::iter::once(node.kind.as_str())
                .chain(node.children.iter().map(|one| one.kind.as_str()))
        })
        .collect()
}

/// What holds of every answer: ranges are those of the words, a network reads back, fits together and has code and a program.
fn sound(text: &str, found: &Description) {
    let mut end = 0;
    for said in &found.understood {
        assert_eq!(
            text.get(said.start..said.end),
            Some(&*said.words),
            "{text}: {said:?}"
        );
        assert!(said.start >= end, "{text}: {said:?} begins before {end}");
        assert!(
            !said.meaning.is_empty() && !said.words.is_empty(),
            "{text}: {said:?}"
        );
        end = said.end;
    }
    for said in &found.unclear {
        assert_eq!(
            text.get(said.start..said.end),
            Some(&*said.words),
            "{text}: {said:?}"
        );
        assert!(!said.meaning.is_empty(), "{text}: {said:?}");
    }
    let sentences = found.assumed.iter().chain(&found.contradictions);
    for sentence in sentences {
        assert!(sentence.ends_with('.'), "{text}: {sentence}");
    }
    let Some(net) = &found.net else {
        let help = found.assumed.join(" ");
        assert!(
            EXAMPLES.iter().all(|example| help.contains(example)) || text.len() > LONGEST_REQUEST,
            "{text}: {help}"
        );
        return;
    };
    assert_eq!(
        Architecture::parse(&net.to_json()).as_ref().ok(),
        Some(net),
        "{text}"
    );
    let analysis = analyse(net);
    for (path, facts) in &analysis.nodes {
        assert_eq!(facts.fault, None, "{text}: {path}");
    }
    assert!(analysis.faults.is_empty(), "{text}: {:?}", analysis.faults);
    assert_eq!(analysis.outputs.len(), net.outputs.len(), "{text}");
    assert!(!net.nodes.is_empty() && !net.note.is_empty(), "{text}");
    if net.training.is_some() {
        let program = training::program(net);
        assert!(program.is_ok(), "{text}: {:?}", program.err());
    }
    let again = python::read(&python::write(net).text, Some(net)).expect("code that reads back");
    assert!(again.left_out.is_empty(), "{text}: {:?}", again.left_out);
}

#[test]
fn phrasings() {
    let cases = cases();
    let mut faults: Vec<String> = Vec::new();
    for case in &cases {
        let found = describe(&case.say);
        sound(&case.say, &found);
        let mut check = |what: &str, got: String, wanted: String| {
            if got != wanted {
                faults.push(format!("“{}”: {what} {got}, not {wanted}", case.say));
            }
        };
        let name = found.net.as_ref().map(|net| net.name.clone());
        check(
            "the network is",
            format!("{name:?}"),
            format!("{:?}", case.net),
        );
        let unclear: Vec<&String> = found.unclear.iter().map(|said| &said.words).collect();
        check(
            "unclear are",
            format!("{unclear:?}"),
            format!("{:?}", case.unclear),
        );
        check(
            "the contradictions are",
            format!("{:?}", found.contradictions),
            format!(
                "{:?}",
                (found.contradictions.iter().zip(&case.contradictions))
                    .map(|(got, part)| if got.contains(part) { got } else { part })
                    .chain(case.contradictions.iter().skip(found.contradictions.len()))
                    .collect::<Vec<_>>()
            ),
        );
        let assumed = found.assumed.join(" ");
        for part in &case.assumed {
            check(
                "assumed is",
                if assumed.contains(part) {
                    String::new()
                } else {
                    assumed.clone()
                },
                String::new(),
            );
        }
        let meanings: Vec<String> = (found.understood.iter())
            .map(|said| format!("{} = {}", said.words, said.meaning))
            .collect();
        let meanings = meanings.join("; ");
        for part in &case.understood {
            check(
                "understood is",
                if meanings.contains(part) {
                    String::new()
                } else {
                    meanings.clone()
                },
                String::new(),
            );
        }
        let Some(net) = &found.net else { continue };
        let analysis = analyse(net);
        let inputs: Vec<String> = net
            .inputs
            .iter()
            .map(|one| analysis.inputs[&one.name].to_string())
            .collect();
        check("the input is", inputs.join(" "), case.input.clone());
        let outputs: Vec<String> = analysis.outputs.iter().map(ToString::to_string).collect();
        check(
            "the outputs are",
            format!("{outputs:?}"),
            format!("{:?}", case.out),
        );
        if let Some(n) = case.parameters {
            check(
                "the parameters are",
                analysis.parameters.to_string(),
                n.to_string(),
            );
        }
        if !case.kinds.is_empty() {
            let found: Vec<&str> = net.nodes.iter().map(|node| node.kind.as_str()).collect();
            check("the nodes are", found.join(" "), case.kinds.join(" "));
        }
        let all = kinds(net);
        for kind in &case.has {
            check(
                "the types are",
                if all.contains(&kind.as_str()) {
                    String::new()
                } else {
                    all.join(" ")
                },
                String::new(),
            );
        }
        for kind in &case.lacks {
            check(
                "the types are",
                if all.contains(&kind.as_str()) {
                    all.join(" ")
                } else {
                    String::new()
                },
                String::new(),
            );
        }
        let settings = json!(net.training);
        for (name, value) in &case.training {
            check(
                &format!("the training's {name} is"),
                settings[name].to_string(),
                value.to_string(),
            );
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {}:\n{}",
        faults.len(),
        cases.len(),
        faults.join("\n")
    );
}

#[test]
fn there_are_phrasings_of_each_kind() {
    let cases = cases();
    let distinct: BTreeSet<&str> = cases.iter().map(|case| case.say.as_str()).collect();
    assert_eq!(distinct.len(), cases.len(), "a phrasing stands twice");
    assert!(cases.len() >= 200, "{} phrasings", cases.len());
    let nonsense = cases.iter().filter(|case| case.net.is_none()).count();
    assert!(nonsense >= 25, "{nonsense} without a network");
    let contradictory = cases
        .iter()
        .filter(|case| !case.contradictions.is_empty())
        .count();
    assert!(contradictory >= 20, "{contradictory} contradict themselves");
    let counted = cases
        .iter()
        .filter(|case| case.parameters.is_some())
        .count();
    assert!(counted >= 60, "{counted} count their parameters");
    let names: BTreeSet<&str> = cases
        .iter()
        .filter_map(|case| case.net.as_deref())
        .collect();
    assert!(names.len() >= 25, "{names:?}");
    // A case with a network says what it reads and gives.
    for case in cases.iter().filter(|case| case.net.is_some()) {
        assert!(
            !case.input.is_empty() && !case.out.is_empty(),
            "{}",
            case.say
        );
    }
}

#[test]
fn the_document_has_the_tables() {
    let document = include_str!("../../../../docs/describe.md");
    let (head, rest) = document
        .split_once("<!-- tables -->\n\n")
        .expect("a place for the tables");
    if std::env::var_os("GLOW_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/describe.md");
        std::fs::write(path, format!("{head}<!-- tables -->\n\n{}", tables())).expect("is written");
    }
    assert!(
        rest == tables(),
        "GLOW_BLESS=1 writes the tables anew; then the test is to be run again"
    );
    for example in EXAMPLES {
        assert!(head.contains(example), "{example}");
    }
}

#[test]
fn what_is_too_long_is_refused() {
    let text = "MLP ".repeat(LONGEST_REQUEST / 4 + 1);
    let found = describe(&text);
    assert!(found.net.is_none());
    assert!(
        found.assumed[0].contains("at most 2000 bytes"),
        "{:?}",
        found.assumed
    );
    let text = "MLP ".repeat(LONGEST_REQUEST / 4);
    assert!(describe(&text).net.is_some());
}

#[test]
fn the_page_asks() {
    let answer = |text: &str| -> Value {
        let request = json!({"ask": "describe", "text": text}).to_string();
        serde_json::from_str(&asked::answer(&request)).expect("JSON")
    };
    let found = answer("LeNet für MNIST");
    assert_eq!(found["net"]["name"], "LeNet");
    assert_eq!(found["analysis"]["parameters"], 61_706);
    assert_eq!(found["unclear"][0]["words"], "für");
    // Bytes, as UTF-8 counts them: ü has two.
    assert_eq!(found["unclear"][0]["end"], 10);
    let found = answer("purple elephants dance");
    assert!(found["net"].is_null() && found["analysis"].is_null());
    assert_eq!(found["unclear"].as_array().map(Vec::len), Some(3));
}

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Random words of the grammar, numbers and marks in any order: no panic, no fault, and an answer at once.
#[test]
fn word_salads() {
    let table = tables();
    let mut words: Vec<&str> = (table.lines())
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" |"))
        .flat_map(|(words, _)| words.split(", "))
        .collect();
    words.extend([
        "0",
        "1",
        "2",
        "3",
        "7",
        "10",
        "32",
        "128",
        "5000",
        "65536",
        "99999999999999999999",
        "0.5",
        "30 %",
        "1e-3",
        "1e400",
        "3x3",
        "2×128",
        "64x64",
        "3x32x32",
        "1x1",
        "784-256-10",
        "0-0-0",
        "16-8",
        ",",
        ".",
        "->",
        "(",
        ")",
        "and",
        "of",
        "without",
        "with",
        "no",
        "for",
        "then",
        "ünïcödé",
        "🐘",
        "purple",
        "-",
        "×",
        "two",
        "a dozen",
        "%",
        "=",
        "linear",
        "conv",
        "Linear(10)",
        "Conv2d(3, 4, 5)",
        "layers",
        "units",
    ]);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut n_nets = 0;
    for round in 0..1_500 {
        let length = 1 + random.below(if round % 10 == 0 { 150 } else { 14 });
        let mut text = String::new();
        for _ in 0..length {
            text.push_str(words[random.below(words.len())]);
            if random.below(8) > 0 {
                text.push(' ');
            }
        }
        if text.len() > LONGEST_REQUEST {
            let end = (0..=LONGEST_REQUEST)
                .rev()
                .find(|&at| text.is_char_boundary(at));
            text.truncate(end.unwrap_or(0));
        }
        let found = describe(&text);
        n_nets += usize::from(found.net.is_some());
        for said in found.understood.iter().chain(&found.unclear) {
            assert_eq!(text.get(said.start..said.end), Some(&*said.words), "{text}");
        }
        let Some(net) = &found.net else { continue };
        assert_eq!(
            Architecture::parse(&net.to_json()).as_ref().ok(),
            Some(net),
            "{text}"
        );
        let analysis = analyse(net);
        assert!(
            analysis.nodes.values().all(|facts| facts.fault.is_none()),
            "{text}"
        );
        assert!(!analysis.outputs.is_empty(), "{text}");
        // Nothing that is drawn fell back to "the sizes do not go together".
        assert!(
            !found
                .assumed
                .iter()
                .any(|text| text.contains("do not go together, and")),
            "{text}"
        );
    }
    assert!(n_nets > 500, "{n_nets} networks");
}

/// Bytes that are no words at all.
#[test]
fn random_letters() {
    let letters: Vec<char> = "abcxyz019.,-×%()[]{}'’\"\\/ \n\t\u{0}éß🐘→>=&+*#0e-"
        .chars()
        .collect();
    let mut random = Random(7);
    for _ in 0..3_000 {
        let n = random.below(60);
        let text: String = (0..n)
            .map(|_| letters[random.below(letters.len())])
            .collect();
        sound(&text, &describe(&text));
    }
}
