//! ONNX models against what ONNX's own tests and PyTorch say.

mod backend;
mod export_golden;
mod export_hostile;
mod export_models;
mod export_ops;
mod export_runtime;
mod exporting;
mod exports;
mod hostile;
mod models;
mod networks;
mod suite;
