//! A session behind a Worker, through wasm-bindgen.
