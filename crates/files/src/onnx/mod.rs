//! ONNX models: the messages of the format, and their tensors as arrays.
//!
//! ```
//! use glowgrad_files::onnx::{ModelProto, decode, encode};
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let model = ModelProto { ir_version: Some(8), ..ModelProto::default() };
//! assert_eq!(decode::<ModelProto>(&encode(&model))?, model);
//! # Ok(())
//! # }
//! ```
//!
//! Invariant: no length is believed before it is compared with the bytes that follow it, and messages in messages end at
//! a depth of 100 (`prost` keeps both). What a graph means is left to the crate `glowgrad-onnx`.

mod proto;
mod tensor;

pub use prost::Message;
pub use proto::*;

use crate::{Error, Result};

/// A message from its bytes: a [`ModelProto`], or a [`TensorProto`] of a test's data.
///
/// # Errors
/// When the bytes are no such message.
pub fn decode<M: Message + Default>(bytes: &[u8]) -> Result<M> {
    M::decode(bytes).map_err(|error| {
        Error::new(format!(
            "these {} bytes are no ONNX message ({error}); expected a file that torch.onnx.export or onnx.save wrote",
            bytes.len()
        ))
    })
}

/// A message as bytes.
pub fn encode(message: &impl Message) -> Vec<u8> {
    message.encode_to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_bytes_are_refused() {
        // A tensor whose raw data claims 2⁶² bytes.
        let mut claims = vec![0x4a];
        claims.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f]);
        assert!(decode::<TensorProto>(&claims).is_err());
        // Graphs in attributes in nodes in graphs, deeper than any model.
        let mut deep = encode(&GraphProto::default());
        for _ in 0..200 {
            let wrap = |tag: u8, inner: &[u8]| {
                let mut outer = vec![tag << 3 | 2];
                prost::encoding::encode_varint(inner.len() as u64, &mut outer);
                outer.extend_from_slice(inner);
                outer
            };
            deep = wrap(1, &wrap(5, &wrap(6, &deep)));
        }
        assert!(decode::<GraphProto>(&deep).is_err());
        let text = decode::<ModelProto>(b"\x89PNG not a model").expect_err("is refused");
        assert!(text.to_string().contains("no ONNX message"), "{text}");
    }
}
