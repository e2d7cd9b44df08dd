//! `.npy`: what NumPy wrote is read, what is written is what NumPy writes, and damaged files say why.

use crate::common::lab;

#[test]
fn npy_files_are_read_and_written() {
    lab(|lab| {
        let printed = lab.output(include_str!("../golden/npy.py"));
        let expected = include_str!("../golden/npy.txt");
        assert_eq!(printed, expected);
    });
}
