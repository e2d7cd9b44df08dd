//! Where the nodes of a graph stand, as a wasm module.

#![cfg(target_arch = "wasm32")]
#![allow(
    unsafe_code,
    reason = "an export keeps its name by an attribute that counts as unsafe; no code here is"
)]

use glowgrad_files::codec::Answer;

fn answer_to(request: &str, bytes: &[u8]) -> Result<Answer, String> {
    let places = glowgrad_layout::asked::answer(request, bytes)?;
    Ok(Answer {
        text: String::new(),
        bytes: places,
    })
}

glowgrad_files_web::answering!(answer_to);
