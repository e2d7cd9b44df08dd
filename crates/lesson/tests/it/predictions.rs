//! What the parser makes of a prediction, what it says about each mistake, and which values answer one.

use glowgrad_lesson::{Axis, Block, Prediction, points};
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
fn an_edge_has_nodes_and_a_drawing_has_axes() {
    let lesson = parse(
        ":::predict edge e\nof: cell-1\nvalue: pair\n\nWhere to?\n\n- `x`\n- y\n:::\n\
         :::predict drawing d\nof: cell-1\nvalue: seen\nx: -4 4\ny: 0 1.5\nwithin: 0.2\n\nHow?\n:::\n\
         ```python cell\nx\n```\n",
    );
    assert_eq!(
        serde_json::to_value(&lesson.blocks[..2]).unwrap(),
        json!([
            {"type": "predict", "id": "e", "html": "<p>Where to?</p>", "cell": "cell-1", "value": "pair",
             "answer": {"kind": "edge", "nodes": [
                {"text": "x", "html": "<p><code>x</code></p>"},
                {"text": "y", "html": "<p>y</p>"},
             ]}},
            {"type": "predict", "id": "d", "html": "<p>How?</p>", "cell": "cell-1", "value": "seen",
             "answer": {"kind": "drawing", "x": {"from": -4.0, "to": 4.0}, "y": {"from": 0.0, "to": 1.5},
                        "within": 0.2}},
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
            format!(":::predict colour p\n{keys}\nWhich?\n:::\n{cell}"),
            "7: the prediction of a \"colour\"; expected number, shape, choice, edge or drawing",
        ),
        (
            format!(":::predict edge p\n{keys}\nWhich?\n:::\n{cell}"),
            "11: 0 options; expected two or more lines - text",
        ),
        (
            format!(":::predict edge p\n{keys}\nWhich?\n- a\n- `a`\n:::\n{cell}"),
            "11: the node \"a\"; expected one node of that name",
        ),
        (
            format!(":::predict edge p\n{keys}\nWhich?\n- a\n- it's\n:::\n{cell}"),
            "11: the node \"it's\"; expected a name without quotes, commas, backslashes and arrows",
        ),
        (
            format!(
                ":::predict edge p\n{keys}\nWhich?\n- a\n- b\n- c\n- d\n- e\n- f\n- g\n- h\n- i\n:::\n{cell}"
            ),
            "11: 9 nodes; expected 8 at most, which a telephone can show",
        ),
        (
            format!(":::predict drawing p\n{keys}x: 0 1\n\nWhich?\n:::\n{cell}"),
            "7: the drawing \"p\" without its axes; expected lines x: FROM TO and y: FROM TO",
        ),
        (
            format!(":::predict drawing p\n{keys}x: 1 0\ny: 0 1\n\nWhich?\n:::\n{cell}"),
            "10: the axis \"1 0\"; expected two numbers, the smaller one first",
        ),
        (
            format!(":::predict drawing p\n{keys}z: 0 1\n\nWhich?\n:::\n{cell}"),
            "10: \"z: 0 1\"; expected of: CELL, value: EXPRESSION, x: FROM TO, y: FROM TO, within: NUMBER; then an empty line",
        ),
        (
            format!(":::predict number p\n{keys}x: 0 1\n\nWhich?\n:::\n{cell}"),
            "10: \"x: 0 1\"; expected of: CELL, value: EXPRESSION, of a number within: NUMBER; then an empty line",
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

#[test]
fn an_edge_is_a_pair_of_its_nodes() {
    let lesson = parse(
        ":::predict edge e\nof: cell-1\nvalue: pair\n\nWhich?\n- `x`\n- a sum\n:::\n```python cell\nx\n```\n",
    );
    let Block::Predict { answer, .. } = &lesson.blocks[0] else {
        panic!("expected a prediction");
    };
    assert_eq!(answer.fault("('x', 'a sum')"), None);
    assert_eq!(answer.fault("['a sum', 'x']"), None);
    for printed in [
        "('x', 'y')",
        "('x', 'x')",
        "('x',)",
        "x, a sum",
        "('x', 'a sum', 'x')",
        "",
        "('', '')",
    ] {
        assert_eq!(
            answer.fault(printed).unwrap(),
            format!("it gives {printed:?}; expected a pair of two of x | a sum")
        );
    }
}

#[test]
fn a_curve_is_a_list_of_points_or_of_heights() {
    let x = Axis { from: 0.0, to: 2.0 };
    let evenly = Some(vec![(0.0, 1.0), (1.0, -0.5), (2.0, 0.001)]);
    for printed in [
        "[1.0, -0.5, 0.001]",
        "tensor([ 1.0000e+00, -5.0000e-01,\n         1.0000e-03], grad_fn=<MulBackward0>)",
        "[(0, 1.0), (1, -0.5), (2, 0.001)]",
        "tensor([[0., 1.],\n        [1., -0.5],\n        [2., 0.001]])",
    ] {
        assert_eq!(points(printed, x), evenly, "{printed}");
    }
    for printed in [
        "",
        "1.0",
        "]1[",
        "[1.0]",
        "[1.0, nan]",
        "[1.0, inf]",
        "[1.0, 'up']",
        "[(0, 1, 2), (1, 2, 3)]",
        "tensor([0., 1., ..., 2.])",
        "[tensor(1.), tensor(2.)]",
    ] {
        assert_eq!(points(printed, x), None, "{printed}");
    }
}

#[test]
fn a_curve_fills_its_axes_and_stays_on_them() {
    let drawing = Prediction::Drawing {
        x: Axis { from: 0.0, to: 2.0 },
        y: Axis {
            from: -1.0,
            to: 1.0,
        },
        within: None,
    };
    assert_eq!(drawing.fault("[0.0, 1.0, 0.5]"), None);
    assert_eq!(
        drawing.fault("up").unwrap(),
        "it gives \"up\"; expected a curve: two or more pairs (x, y), or y values, all of them finite numbers"
    );
    assert_eq!(
        drawing.fault("[(0, 0), (1, 0.5)]").unwrap(),
        "its x goes from 0 to 1; expected the whole axis, from 0 to 2"
    );
    assert_eq!(
        drawing.fault("[0.0, 1.5]").unwrap(),
        "its y goes from 0 to 1.5; expected axes that show it, not y: -1 1"
    );
    let long = format!("[{}]", "nan, ".repeat(40));
    assert!(
        drawing.fault(&long).unwrap().len() < 250,
        "a message has the beginning"
    );
}
