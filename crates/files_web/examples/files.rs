//! File formats as a wasm module, which a page loads when a file is first read.

#![cfg(target_arch = "wasm32")]
#![allow(
    unsafe_code,
    reason = "an export keeps its name by an attribute that counts as unsafe; no code here is"
)]

glowgrad_files_web::answering!(glowgrad_files::codec::answer);
