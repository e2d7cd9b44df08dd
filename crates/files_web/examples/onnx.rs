//! ONNX as a wasm module, which writes and reads models.

#![cfg(target_arch = "wasm32")]
#![allow(
    unsafe_code,
    reason = "an export keeps its name by an attribute that counts as unsafe; no code here is"
)]

glowgrad_files_web::answering!(glowgrad_onnx::asked::answer);
