//! The Python that runs an exercise's checks.

/// Defines `expect`, `expect_raises` and `run_checks` in lab Python. The session runs it once in a
/// namespace of its own, puts the first two among the checks' globals, and calls the third.
///
/// It imports nothing, so it needs no standard library, and it runs on CPython with PyTorch too.
pub const CHECK_HARNESS: &str = include_str!("harness.py");
