//! PyTorch's other names for ops. An alias is no op: what is found under it is the op itself.

/// Other name, name.
pub static ALIASES: &[(&str, &str)] = &[
    ("absolute", "abs"),
    ("arccos", "acos"),
    ("arccosh", "acosh"),
    ("arcsin", "asin"),
    ("arcsinh", "asinh"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("arctanh", "atanh"),
    ("clip", "clamp"),
    ("concat", "cat"),
    ("concatenate", "cat"),
    ("divide", "div"),
    ("fix", "trunc"),
    ("greater", "gt"),
    ("greater_equal", "ge"),
    ("less", "lt"),
    ("less_equal", "le"),
    ("multiply", "mul"),
    ("negative", "neg"),
    ("not_equal", "ne"),
    ("subtract", "sub"),
    ("true_divide", "div"),
];

#[cfg(test)]
mod tests {
    use super::super::{all, find};
    use super::ALIASES;

    #[test]
    fn every_alias_names_an_op_and_is_none() {
        for (alias, name) in ALIASES {
            assert!(all().any(|op| op.name == *name), "{name}");
            assert!(all().all(|op| op.name != *alias), "{alias}");
            assert_eq!(find(alias).map(|op| op.name), Some(*name));
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names: Vec<&str> = all().map(|op| op.name).collect();
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n);
    }
}
