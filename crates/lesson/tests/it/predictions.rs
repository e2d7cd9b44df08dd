//! What the parser makes of a prediction, what it says about each mistake, and which values answer one.

use glowgrad_lesson::{Block, Prediction};
use serde_json::json;

use crate::parser::{complaint, parse};

#[test]
fn a_prediction_is_a_question_that_a_cell_below_answers() {
    let lesson = parse(
        ":::predict number n\nof: cell-1\nvalue: x.item()\nwithin: 0.5\n\nWhat is `x`?\n:::\n\
         :::predict choice c\nof: cell-1\nvalue: word\n\nWhich?\n\n- `up`\n- down\n:::\n```python cell\nx\n```\n",
    );
    assert_eq!(
        serde_json::to_value(&lesson.blocks[..2]).unwrap(),
        json!([
            {"type": "predict", "id": "n", "html": "<p>What is <code>x</code>?</p>", "cell": "cell-1",
             "value": "x.item()", "answer": {"kind": "number", "within": 0.5}},
            {"type": "predict", "id": "c", "html": "<p>Which?</p>", "cell": "cell-1", "value": "word",
             "answer": {"kind": "choice", "options": [
                {"text": "up", "html": "<p><code>up</code></p>"},
                {"text": "down", "html": "<p>down</p>"},
             ]}},
        ])
    );
}

#[test]
fn predictions_are_checked() {
    let keys = "of: cell-1\nvalue: x\n";
    let cell = "```python cell\nx\n```\n";
    let cases = [
        (
            format!(":::predict shape p\n{keys}\nWhich?\n:::\n"),
            "7: a prediction of \"cell-1\", which is no cell below; expected the id of a cell below",
        ),
        (
            format!("{cell}:::predict shape p\n{keys}\nWhich?\n:::\n"),
            "10: a prediction of \"cell-1\", which is no cell below; expected the id of a cell below",
        ),
        (
            format!(":::predict edge p\n{keys}\nWhich?\n:::\n{cell}"),
            "7: the prediction of a \"edge\"; expected number, shape or choice",
        ),
        (
            format!(":::predict shape p\nof: cell-1\n\nWhich?\n:::\n{cell}"),
            "7: the prediction \"p\" without its cell or its value; expected lines of: CELL and value: EXPRESSION",
        ),
        (
            format!(":::predict shape p\n{keys}within: 1\n\nWhich?\n:::\n{cell}"),
            "10: \"within: 1\"; expected of: CELL, value: EXPRESSION, of a number within: NUMBER; then an empty line",
        ),
        (
            format!(":::predict number p\n{keys}within: -1\n\nWhich?\n:::\n{cell}"),
            "10: within: -1; expected within: a number above 0",
        ),
        (
            format!(":::predict number p\n{keys}:::\n{cell}"),
            "7: a prediction without a question; expected an empty line, then the question",
        ),
        (
            format!(":::predict choice p\n{keys}\nWhich?\n- one\n:::\n{cell}"),
            "11: 1 options; expected two or more lines - text",
        ),
        (
            format!(":::predict choice p\n{keys}\nWhich?\n- one\ntwo\n:::\n{cell}"),
            "13: \"two\"; expected - text, one line for each option",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(complaint(&text), expected, "{text}");
    }
}

#[test]
fn a_predictions_value_has_its_kind() {
    let number = Prediction::Number { within: None };
    assert_eq!(number.fault("0.5"), None);
    assert_eq!(number.fault("inf"), None);
    assert_eq!(
        number.fault("tensor(0.5000)").unwrap(),
        "it gives \"tensor(0.5000)\"; expected a number, as of .item()"
    );
    for printed in ["torch.Size([3, 4])", "(3,)", "()", "[2]"] {
        assert_eq!(Prediction::Shape.fault(printed), None, "{printed}");
    }
    assert!(Prediction::Shape.fault("tensor([3])").is_some());
    let lesson = parse(
        ":::predict choice c\nof: cell-1\nvalue: word\n\nWhich?\n- `up`\n- down\n:::\n```python cell\nx\n```\n",
    );
    let Block::Predict { answer, .. } = &lesson.blocks[0] else {
        panic!("expected a prediction");
    };
    assert_eq!(answer.fault("up"), None);
    assert_eq!(
        answer.fault("left").unwrap(),
        "it gives \"left\"; expected one of up | down"
    );
}
