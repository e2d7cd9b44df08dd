//! File formats as a wasm module of their own, which a page loads when a file is first read; with the feature `onnx`
//! as another one, which writes and reads models; and with the feature `architecture` as a third, which knows the
//! networks that are drawn.
//!
//! Its exports take and give numbers alone, so that a worker can call it at once, without glue: the page reserves room,
//! writes a request and a file's bytes there, asks for the answer, and reads that. One instance answers one request;
//! the page drops it with all its memory. `glowgrad_files::codec`, `glowgrad_onnx::asked` and
//! `glowgrad_architecture::asked` say what a request is.

#![cfg(target_arch = "wasm32")]
#![allow(
    unsafe_code,
    reason = "an export keeps its name by an attribute that counts as unsafe; no code here is"
)]

use std::cell::RefCell;

use glowgrad_files::codec::Answer;
#[cfg(not(any(feature = "onnx", feature = "architecture")))]
use glowgrad_files::codec::answer as answer_to;
#[cfg(all(feature = "onnx", not(feature = "architecture")))]
use glowgrad_onnx::asked::answer as answer_to;

/// An answer about a network, which says itself what is wrong.
#[cfg(feature = "architecture")]
fn answer_to(request: &str, _: &[u8]) -> Result<Answer, std::convert::Infallible> {
    Ok(Answer {
        text: glowgrad_architecture::asked::answer(request),
        bytes: Vec::new(),
    })
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Answer> = RefCell::default();
}

/// Room for a request of UTF-8 and the bytes after it: where it begins in the module's memory.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_mut_ptr()
    })
}

/// Answers what stands in the reserved room, whose first bytes are the request; whether that could be done.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn answer(request_length: usize) -> bool {
    let input = INPUT.take();
    let (request, bytes) = input.split_at(request_length.min(input.len()));
    let answered = answer_to(&String::from_utf8_lossy(request), bytes);
    let is_answered = answered.is_ok();
    let answer = answered.unwrap_or_else(|error| Answer {
        text: error.to_string(),
        bytes: Vec::new(),
    });
    OUTPUT.set(answer);
    is_answered
}

/// Where the answer's text begins, or the sentence that says why there is none.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn text() -> *const u8 {
    OUTPUT.with_borrow(|output| output.text.as_ptr())
}

/// Bytes of the text.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn text_length() -> usize {
    OUTPUT.with_borrow(|output| output.text.len())
}

/// Where the answer's bytes begin.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn bytes() -> *const u8 {
    OUTPUT.with_borrow(|output| output.bytes.as_ptr())
}

/// How many there are.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn bytes_length() -> usize {
    OUTPUT.with_borrow(|output| output.bytes.len())
}
