//! `Evaluate`: the value of an expression, and nothing else changed.
#![cfg(feature = "python")]

use glowgrad_session::protocol::{Command, ErrorInfo, Event};

use crate::record::Sitting;

fn evaluate(sitting: &mut Sitting, expression: &str) -> Result<String, ErrorInfo> {
    let events = sitting.ask(|id| Command::Evaluate {
        id,
        expression: expression.to_owned(),
    });
    let mut text = None;
    for event in events {
        match event {
            Event::Error { error, .. } => return Err(error),
            Event::Evaluated { text: printed, .. } => text = Some(printed),
            Event::Done { .. } => {}
            other => panic!("an expression shows nothing, and there is {other:?}"),
        }
    }
    Ok(text.expect("a value"))
}

#[test]
fn values_are_as_they_are_printed() {
    let mut sitting = Sitting::new();
    sitting.run(
        "import glowgrad as torch\nx = torch.ones(3, 4, requires_grad=True)\n(x * 2).sum().backward()",
    );
    for (expression, text) in [
        ("x.grad[0, 0].item()", "2.0"),
        ("x.shape", "torch.Size([3, 4])"),
        ("tuple(x.shape)", "(3, 4)"),
        ("'up' if x.sum().item() > 1 else 'down'", "up"),
        ("(y := 3) + 1", "4"),
        ("1 # a comment", "1"),
    ] {
        assert_eq!(
            evaluate(&mut sitting, expression).unwrap(),
            text,
            "{expression}"
        );
    }
    assert_eq!(evaluate(&mut sitting, "y").unwrap_err().kind, "NameError");
    assert_eq!(
        evaluate(&mut sitting, "1; 2").unwrap_err().kind,
        "SyntaxError"
    );
}

#[test]
fn neither_random_numbers_nor_the_kernels_of_the_cell_change() {
    let mut sitting = Sitting::new();
    sitting.run(
        "import glowgrad as torch\ntorch.manual_seed(0)\nx = torch.rand(3)\nprint((x * 2).sum())",
    );
    let kernels = |sitting: &mut Sitting| {
        let events = sitting.ask(|id| Command::Kernels { id });
        let list = events.into_iter().find_map(|event| match event {
            Event::Kernels { list, .. } => Some(list),
            _ => None,
        });
        list.expect("a list").kernels.len()
    };
    let before = kernels(&mut sitting);
    assert!(before > 0, "the cell computed nothing");
    let drawn = evaluate(&mut sitting, "torch.rand(1).item()").unwrap();
    assert_eq!(
        evaluate(&mut sitting, "torch.rand(1).item()").unwrap(),
        drawn
    );
    assert_eq!(kernels(&mut sitting), before);
}
