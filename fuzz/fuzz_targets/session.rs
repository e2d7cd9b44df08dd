//! Any commands in a row, obeyed by a session.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    glowgrad_fuzz::outcomes::count(&glowgrad_fuzz::session::hold(data));
});
