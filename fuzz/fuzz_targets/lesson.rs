//! Any bytes as the files of a lesson.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| glowgrad_fuzz::lesson::hold(data));
