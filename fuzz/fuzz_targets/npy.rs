//! Any bytes as an `.npy` file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    glowgrad_fuzz::outcomes::count(&glowgrad_fuzz::npy::hold(data));
});
