//! Any bytes as frames on a session's pipe.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    glowgrad_fuzz::outcomes::count(&glowgrad_fuzz::pipe::hold(data));
});
