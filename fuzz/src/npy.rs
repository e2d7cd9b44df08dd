//! `.npy` files: any bytes are a tensor or a `ValueError` that says why not.
//!
//! What is read is written, and what is written is read as the same: dtype, shape and bytes.

use std::sync::OnceLock;

use super::interpreter::Lab;
use super::thread::Thread;

/// As in a native session.
const STACK_BYTES: usize = 256 << 20;

const HOLD: &str = r#"
import glowgrad as torch
from glowgrad import lab

def hold(data):
    try:
        x = lab.load_npy(data)
    except ValueError as error:
        return str(error)
    written = lab.save_npy(x)
    y = lab.load_npy(written)
    assert y.dtype == x.dtype and y.shape == x.shape, (x.dtype, x.shape, y.dtype, y.shape)
    assert lab.save_npy(y) == written, written
    # A bool may be any byte, and is written as 0 or 1; Fortran's order becomes C's.
    if x.numel() > 0 and b">" not in data and b"True" not in data and x.dtype != torch.bool:
        n = x.numel() * x.element_size()
        assert written[-n:] == data[-n:], (written, data)
    return f"{x.dtype} {x.ndim}"
"#;

/// Reads `data` as an `.npy` file; gives what was said, or what the tensor is.
pub fn hold(data: &[u8]) -> String {
    static THREAD: OnceLock<Thread> = OnceLock::new();
    THREAD
        .get_or_init(|| Thread::start(STACK_BYTES, || Lab::new(HOLD), read))
        .give(data)
}

fn read(lab: &mut Lab, data: &[u8]) -> String {
    let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
    lab.printed(&format!("print(hold(bytes.fromhex('{hex}')))"))
}
