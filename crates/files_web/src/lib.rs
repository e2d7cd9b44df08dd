//! Wasm modules that answer requests, which a page loads when one is asked first: each is an example of this crate, so
//! that one run of Cargo makes all of them.
//!
//! Their exports take and give numbers alone, so that a worker can call them at once, without glue: the page reserves
//! room, writes a request and a file's bytes there, asks for the answer, and reads that. One instance answers one request;
//! the page drops it with all its memory. `glowgrad_files::codec` and the modules `asked` of `glowgrad_onnx`,
//! `glowgrad_architecture` and `glowgrad_layout` say what a request is.

#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;
use std::fmt::Display;

use glowgrad_files::codec::Answer;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Answer> = RefCell::default();
}

/// Room for a request of UTF-8 and the bytes after it: where it begins in the module's memory.
pub fn reserve(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_mut_ptr()
    })
}

/// Answers what stands in the reserved room, whose first bytes are the request; whether that could be done.
pub fn answer<E: Display>(
    to: impl FnOnce(&str, &[u8]) -> Result<Answer, E>,
    request_length: usize,
) -> bool {
    let input = INPUT.take();
    let (request, bytes) = input.split_at(request_length.min(input.len()));
    let answered = to(&String::from_utf8_lossy(request), bytes);
    let is_answered = answered.is_ok();
    let answer = answered.unwrap_or_else(|error| Answer {
        text: error.to_string(),
        bytes: Vec::new(),
    });
    OUTPUT.set(answer);
    is_answered
}

/// The answer's text, or the sentence that says why there is none: where it begins, and its bytes.
pub fn text() -> (*const u8, usize) {
    OUTPUT.with_borrow(|output| (output.text.as_ptr(), output.text.len()))
}

/// The answer's bytes: where they begin, and how many there are.
pub fn bytes() -> (*const u8, usize) {
    OUTPUT.with_borrow(|output| (output.bytes.as_ptr(), output.bytes.len()))
}

/// The exports of a module that answers with this function.
#[macro_export]
macro_rules! answering {
    ($answer:expr) => {
        // SAFETY: no other symbol of the module has these names.
        #[unsafe(no_mangle)]
        pub extern "C" fn reserve(length: usize) -> *mut u8 {
            $crate::reserve(length)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn answer(request_length: usize) -> bool {
            $crate::answer($answer, request_length)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn text() -> *const u8 {
            $crate::text().0
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn text_length() -> usize {
            $crate::text().1
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn bytes() -> *const u8 {
            $crate::bytes().0
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn bytes_length() -> usize {
            $crate::bytes().1
        }
    };
}
