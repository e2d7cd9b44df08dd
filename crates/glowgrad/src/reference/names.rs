//! Where the registry's name for an op is not the reader's: parts that PyTorch hides behind another
//! op, second forms, ops that go by another name in Python, and functions that live elsewhere.
//!
//! Every name here is in the registry; the reference's tests hold this file to that.

/// Part, and the op behind which it is: they are its aliases, as the graph shows them by name.
pub(super) const PARTS: &[(&str, &str)] = &[
    ("round_decimals", "round"),
    ("pow_scalar", "pow"),
    ("add_scaled", "add"),
    ("sub_scaled", "sub"),
    ("div_floor", "div"),
    ("div_trunc", "div"),
    ("clamp_tensor", "clamp"),
    ("max_dim", "max"),
    ("min_dim", "min"),
    ("median_dim", "median"),
    ("nanmedian_dim", "nanmedian"),
    ("nonzero_tuple", "nonzero"),
    ("qr_q", "qr"),
    ("qr_r", "qr"),
    ("batch_norm_eval", "batch_norm"),
    (
        "binary_cross_entropy_with_logits_weighted",
        "binary_cross_entropy_with_logits",
    ),
    ("soft_cross_entropy", "cross_entropy"),
    ("max_pool1d_with_indices", "max_pool1d"),
    ("max_pool2d_with_indices", "max_pool2d"),
    ("max_pool3d_with_indices", "max_pool3d"),
    ("adaptive_max_pool1d_with_indices", "adaptive_max_pool1d"),
    ("adaptive_max_pool2d_with_indices", "adaptive_max_pool2d"),
];

/// Parts that are a second form of their op, with a signature that a reader needs.
pub(super) const FORMS: &[&str] = &["max_dim", "min_dim", "median_dim", "nanmedian_dim"];

/// Name in the registry, name in Python.
pub(super) const SHOWN: &[(&str, &str)] = &[
    ("im2col", "unfold"),
    ("col2im", "fold"),
    ("upsample", "interpolate"),
    ("tensor_unfold", "Tensor.unfold"),
];

/// Functions whose Python chooses among ops, with parameters of its own.
pub(super) const SIGNATURES: &[(&str, &str)] = &[
    (
        "upsample",
        "(input, size=None, scale_factor=None, mode='nearest', align_corners=None)",
    ),
    (
        "batch_norm",
        "(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)",
    ),
    (
        "instance_norm",
        "(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05)",
    ),
    (
        "binary_cross_entropy_with_logits",
        "(input, target, weight=None, reduction='mean', pos_weight=None)",
    ),
    ("tensordot", "(input, other, dims=2)"),
];

/// Methods that Python writes itself around the op.
pub(super) const METHODS: &[&str] = &["to", "contiguous", "detach", "where", "tensor_unfold"];

/// Methods that are no function of `torch`.
pub(super) const METHODS_ALONE: &[&str] = &[
    "to",
    "contiguous",
    "expand",
    "view",
    "repeat",
    "tensor_unfold",
];

/// Functions of `torch` that are no methods; the others without one are functions of
/// `torch.nn.functional`.
pub(super) const FUNCTIONS: &[&str] = &["where", "detach", "cat", "stack", "selu", "celu"];

fn other(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    let found = table.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| *value)
}

/// The op behind which a part is.
pub(super) fn public_of(name: &str) -> Option<&'static str> {
    other(PARTS, name)
}

/// The parts behind an op.
pub(super) fn parts_of(name: &str) -> impl Iterator<Item = &'static str> {
    PARTS
        .iter()
        .filter(move |(_, of)| *of == name)
        .map(|(part, _)| *part)
}

/// The second forms of an op.
pub(super) fn forms_of(name: &str) -> impl Iterator<Item = &'static str> {
    parts_of(name).filter(|part| FORMS.contains(part))
}

/// What Python calls it.
pub(super) fn shown(name: &'static str) -> &'static str {
    other(SHOWN, name).unwrap_or(name)
}

/// The parameters of the Python function, where they are not the op's.
pub(super) fn signature(name: &str) -> Option<&'static str> {
    other(SIGNATURES, name)
}

/// Whether Python makes it a method although the op says no.
pub(super) fn is_method(name: &str) -> bool {
    METHODS.contains(&name)
}
