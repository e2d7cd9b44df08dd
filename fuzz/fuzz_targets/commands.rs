//! Any text as commands of the protocol.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    glowgrad_fuzz::outcomes::count(&glowgrad_fuzz::commands::hold(data));
});
