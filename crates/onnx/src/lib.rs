//! ONNX models on glowgrad's engine.
//!
//! The format itself is in `glowgrad_files`; here its operators become the engine's ops, and back.
