//! Any text as a cell, compiled and not run.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    glowgrad_fuzz::outcomes::count(&glowgrad_fuzz::source::hold(data));
});
