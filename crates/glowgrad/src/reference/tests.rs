//! The reference is whole: every public op is in it once, with all that a reader needs.

use super::*;

fn entries() -> Vec<Entry> {
    let families = build(&crate::cpu()).unwrap();
    families.into_iter().flat_map(|family| family.ops).collect()
}

fn find<'a>(entries: &'a [Entry], name: &str) -> &'a Entry {
    entries.iter().find(|entry| entry.name == name).unwrap()
}

#[test]
fn every_op_of_the_registry_is_found_by_its_name_once() {
    let entries = entries();
    let names = ops::all().map(|op| op.name);
    for name in names.chain(ops::multi_output().map(|call| call.name)) {
        let called =
            |entry: &&Entry| entry.name == name || entry.aliases.iter().any(|alias| alias == name);
        assert!(entries.iter().any(|entry| called(&entry)), "{name}");
    }
    let mut seen = HashSet::new();
    for entry in &entries {
        assert!(seen.insert(&entry.name), "{} is there twice", entry.name);
    }
}

#[test]
fn every_entry_says_what_a_reader_needs() {
    for entry in entries() {
        let name = &entry.name;
        assert!(entry.doc.ends_with('.'), "{name}: {}", entry.doc);
        assert!(entry.signature.starts_with(&format!("{name}(")), "{name}");
        assert!(!entry.shapes.is_empty(), "{name} has no shapes");
        assert!(!entry.dtypes.is_empty(), "{name} takes no dtype");
        assert_eq!(
            entry.dtypes.len() + entry.dtypes_refused.len(),
            13,
            "{name}"
        );
        assert!(!entry.example.is_empty(), "{name} has no example");
        assert!(!entry.formula.contains(['{', '}']), "{name}");
        for gradient in &entry.gradients {
            assert!(!gradient.rule.is_empty(), "{name}");
            assert!(
                !gradient.rule.contains(['{', '}']),
                "{name}: {}",
                gradient.rule
            );
            assert!(entry.signature.contains(&gradient.operand), "{name}");
        }
        match &entry.not_differentiable {
            Some(reason) => {
                assert!(!reason.ends_with('.') && !reason.is_empty(), "{name}");
                assert!(
                    entry.gradients.is_empty() && entry.grad_fn.is_none(),
                    "{name}"
                );
            }
            // Its tape raises when it is walked, as PyTorch's does.
            None if name == "floor_divide" => {}
            None => assert!(entry.grad_fn.is_some(), "{name} has no grad_fn"),
        }
    }
}

#[test]
fn an_entry_is_what_its_definition_says() {
    let entries = entries();
    let tanh = find(&entries, "tanh");
    assert_eq!(tanh.signature, "tanh(input)");
    assert_eq!(tanh.formula, "y = tanh a");
    assert_eq!(tanh.grad_fn.as_deref(), Some("TanhBackward0"));
    assert_eq!(
        tanh.gradients,
        [Gradient {
            operand: "input".to_owned(),
            rule: "gy · (1 − y²)".to_owned()
        }]
    );
    assert!(tanh.method && tanh.in_place);
    assert_eq!(tanh.shapes[0], "(3, 4) → (3, 4)");
    assert!(tanh.dtypes.contains(&(DType::I64, DType::F32)));
    assert_eq!(
        tanh.example,
        "torch.tanh(torch.tensor([-1.5, -0.5, 0.5, 1.5]))"
    );

    let max = find(&entries, "max");
    assert_eq!(max.signature, "max(input), max(input, dim, keepdim=False)");
    assert!(
        max.shapes.contains(&"(2, 5), dim=1 → (2), (2)".to_owned()),
        "{:?}",
        max.shapes
    );
    assert!(
        find(&entries, "pow")
            .aliases
            .contains(&"pow_scalar".to_owned())
    );
    assert!(
        find(&entries, "unfold")
            .aliases
            .contains(&"im2col".to_owned())
    );

    let shift = find(&entries, "bitwise_left_shift");
    assert!(shift.dtypes_refused.contains(&DType::F32), "{shift:?}");
    assert!(shift.not_differentiable.is_some());
    let sort = find(&entries, "sort");
    assert!(sort.grad_fn.is_some(), "{sort:?}");
}

#[test]
fn an_example_shows_its_options() {
    let entries = entries();
    let softmax = &find(&entries, "softmax").example;
    assert!(softmax.ends_with("]), dim=1)"), "{softmax}");
    let gather = &find(&entries, "gather").example;
    assert!(gather.contains("]]), 0, torch.tensor([["), "{gather}");
    let cat = find(&entries, "cat");
    assert!(
        cat.example.starts_with("torch.cat([torch."),
        "{}",
        cat.example
    );
}

#[test]
fn parts_are_behind_ops_that_are_there() {
    let known = |name: &str| {
        ops::all().any(|op| op.name == name) || ops::multi_output().any(|call| call.name == name)
    };
    let calls = ops::multi_output().map(|call| (call.name, call.python.part_of));
    let parts = ops::all()
        .map(|op| (op.name, op.python.part_of))
        .chain(calls);
    for (part, of) in parts.filter(|(_, of)| !of.is_empty()) {
        assert!(known(of), "{part} is part of {of}, which is no op");
    }
}

#[test]
fn backends_say_what_they_leave_to_the_cpu() {
    let entries = entries();
    let of = |name: &str| -> Vec<String> {
        let backends = find(&entries, name).backends.iter();
        backends.map(Backend::to_string).collect()
    };
    let some = "wgpu (bfloat16, float64, uint32, uint64: on the CPU)";
    assert_eq!(of("abs"), ["cpu", some, "cuda"]);
    // A view computes nothing, whatever its dtype.
    assert_eq!(of("expand"), ["cpu", "wgpu", "cuda"]);
    // No device factors matrices.
    assert_eq!(of("qr"), ["cpu", "wgpu (on the CPU)", "cuda (on the CPU)"]);
}
