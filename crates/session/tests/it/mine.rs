//! `mine`: the learner's pieces where there are any, and the course's where not.
#![cfg(feature = "python")]

use glowgrad_session::protocol::{Command, Event, FileContent};

use crate::record::Sitting;

fn put(sitting: &mut Sitting, path: &str, text: &str) {
    sitting.ask(|id| Command::PutFiles {
        id,
        files: vec![FileContent {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
        }],
    });
}

/// What a cell printed, the sentences beside it, and its error.
fn run(sitting: &mut Sitting, source: &str) -> (String, Vec<String>, Option<String>) {
    let (mut printed, mut notices, mut failure) = (String::new(), Vec::new(), None);
    let events = sitting.ask(|id| Command::RunCell {
        id,
        cell: "cell-1".to_owned(),
        source: source.to_owned(),
        until: None,
    });
    for event in events {
        match event {
            Event::Stdout { text, .. } => printed += &text,
            Event::Notice { text, .. } => notices.push(text),
            Event::Error { error, .. } => {
                failure = Some(format!("{}: {}", error.kind, error.message));
            }
            _ => {}
        }
    }
    (printed, notices, failure)
}

#[test]
fn a_piece_is_the_courses_until_it_is_the_learners() {
    let mut sitting = Sitting::new();
    let cell = "from mine import broadcast_shapes\nprint(broadcast_shapes((3, 1), (2,)))";
    let (printed, notices, failure) = run(&mut sitting, cell);
    assert_eq!((printed.as_str(), failure), ("(3, 2)\n", None));
    assert_eq!(
        notices,
        [
            "mine.broadcast_shapes is the course's own: it is yours once the exercise “Now write the rule” of lesson 4 \
             (Broadcasting) passes."
        ]
    );

    put(
        &mut sitting,
        "mine/broadcast_shapes.py",
        "def broadcast_shapes(a, b):\n    return 'mine', a, b\n",
    );
    let (printed, notices, failure) = run(&mut sitting, cell);
    assert_eq!(printed, "('mine', (3, 1), (2,))\n");
    assert_eq!((notices.len(), failure), (0, None));

    // A text that has changed is read again; one that has not is the same object.
    put(
        &mut sitting,
        "mine/broadcast_shapes.py",
        "def broadcast_shapes(a, b):\n    return 1 / 0\n",
    );
    let (_, _, failure) = run(&mut sitting, cell);
    assert_eq!(failure.unwrap(), "ZeroDivisionError: division by zero");
    let cell = "import mine\nprint(mine.unbroadcast is mine.unbroadcast, 'Adam' in dir(mine))";
    assert_eq!(run(&mut sitting, cell).0, "True True\n");
}

#[test]
fn what_is_no_piece_says_which_there_are() {
    let mut sitting = Sitting::new();
    let (_, _, failure) = run(&mut sitting, "from mine import Adma");
    let failure = failure.unwrap();
    assert!(
        failure.starts_with("ImportError: mine has no Adma; the course's exercises give windows, "),
        "{failure}"
    );
    put(&mut sitting, "mine/Adam.py", "class Adma:\n    pass\n");
    let (_, _, failure) = run(&mut sitting, "from mine import Adam");
    assert_eq!(
        failure.unwrap(),
        "ImportError: mine/Adam.py does not define Adam; check its exercise again, or remove the file"
    );
}

#[test]
fn a_program_may_have_a_mine_of_its_own() {
    let mut sitting = Sitting::new();
    put(&mut sitting, "mine.py", "ore = 'iron'\n");
    let (printed, _, failure) = run(&mut sitting, "import mine\nprint(mine.ore)");
    assert_eq!((printed.as_str(), failure), ("iron\n", None));
    put(&mut sitting, "yours/gold.py", "weight = 3\n");
    let (printed, _, failure) = run(&mut sitting, "from yours import gold\nprint(gold.weight)");
    assert_eq!((printed.as_str(), failure), ("3\n", None));
}
