//! ONNX models against what ONNX's own tests and PyTorch say.

mod backend;
mod export_ops;
mod exporting;
mod exports;
mod hostile;
mod models;
mod suite;
