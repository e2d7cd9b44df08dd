//! What the steps read of their runners and of the repository.

use super::*;
use crate::lab::tests::Scratch;

#[test]
fn summaries_of_every_runner_are_kept_and_other_lines_are_not() {
    assert!(sums_up_rust(
        "     Summary [   0.021s] 12 tests run: 12 passed, 0 skipped"
    ));
    assert!(sums_up_rust("test result: ok. 3 passed; 0 failed"));
    assert!(!sums_up_rust("        PASS [   0.004s] xtask tests::x"));
    assert!(sums_up_vitest("      Tests  30 passed (30)"));
    assert!(sums_up_node("ℹ pass 12"));
    assert!(sums_up_node("measured: first glow 412 ms"));
    assert!(!sums_up_node("✔ opens the landing page (412ms)"));
}

#[test]
fn stale_missing_and_orphaned_types_are_told_apart() {
    let scratch = Scratch::new("types");
    let (fresh, committed) = (scratch.0.join("fresh"), scratch.0.join("committed"));
    assert!(same_files(&fresh, &committed).is_err());
    scratch.file("fresh/A.ts", "a");
    assert!(
        same_files(&fresh, &committed)
            .unwrap_err()
            .to_string()
            .contains("A.ts is stale")
    );
    scratch.file("committed/A.ts", "a");
    assert_eq!(same_files(&fresh, &committed).unwrap(), 1);
    scratch.file("committed/B.ts", "b");
    assert!(
        same_files(&fresh, &committed)
            .unwrap_err()
            .to_string()
            .contains("B.ts has no Rust type")
    );
}
