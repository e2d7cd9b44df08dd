//! Files that a session and its page share.

use serde::{Deserialize, Serialize};

/// A file below the folder in which Python starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FileContent {
    /// From that folder on, such as `runs/a.safetensors`.
    pub path: String,
    /// What it holds.
    #[serde(with = "serde_bytes")]
    #[cfg_attr(test, ts(type = "Uint8Array<ArrayBuffer>"))]
    pub bytes: Vec<u8>,
}
