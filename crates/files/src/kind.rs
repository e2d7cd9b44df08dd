//! What a file is, by its first bytes.

use crate::packed::GZIP;
use crate::{idx, npy};

/// A format that its first bytes tell.
///
/// CSV, CIFAR and ONNX files have no mark.
///
/// ```
/// use glowgrad_files::Kind;
///
/// assert_eq!(Kind::of(b"\x93NUMPY\x01\x00"), Some(Kind::Npy));
/// assert_eq!(Kind::of(b"sepal,petal\n1,2\n"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// [`safetensors`](crate::safetensors)
    SafeTensors,
    /// [`npy`](crate::npy)
    Npy,
    /// [`npz`](crate::npz), a zip archive whose first entry is an array.
    Npz,
    /// [`pt`](crate::pt), a zip archive whose first entry is `data.pkl`.
    Pt,
    /// What PyTorch wrote before 1.6, which no reader of this crate reads.
    LegacyPt,
    /// Another zip archive, or one whose first entry does not tell.
    Zip,
    /// A gzip file: perhaps [`idx`](crate::idx) or [`cifar`](crate::cifar).
    Gzip,
    /// [`idx`](crate::idx)
    Idx,
    /// [`image`](crate::image)
    Png,
    /// [`image`](crate::image)
    Jpeg,
}

impl Kind {
    /// The kind that these bytes begin; the first 512 are enough.
    pub fn of(bytes: &[u8]) -> Option<Kind> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Kind::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Kind::Jpeg),
            [b'P', b'K', 3, 4, ..] => Some(zip(bytes)),
            // An archive without a file.
            [b'P', b'K', 5, 6, ..] => Some(Kind::Zip),
            _ if bytes.starts_with(&GZIP) => Some(Kind::Gzip),
            _ if bytes.starts_with(npy::MAGIC) => Some(Kind::Npy),
            _ if idx::begins(bytes) => Some(Kind::Idx),
            _ if is_legacy_pt(bytes) => Some(Kind::LegacyPt),
            _ if is_safetensors(bytes) => Some(Kind::SafeTensors),
            _ => None,
        }
    }
}

/// The name of the first entry follows the 30 bytes of its header.
fn zip(bytes: &[u8]) -> Kind {
    let length = |at: usize| {
        Some(usize::from(u16::from_le_bytes([
            *bytes.get(at)?,
            *bytes.get(at + 1)?,
        ])))
    };
    let name = length(26).and_then(|n| bytes.get(30..30 + n));
    match name {
        Some(name) if name.ends_with(b".npy") => Kind::Npz,
        Some(name) if name == b"data.pkl" || name.ends_with(b"/data.pkl") => Kind::Pt,
        _ => Kind::Zip,
    }
}

/// PyTorch's magic number as a pickle, or a tar archive.
fn is_legacy_pt(bytes: &[u8]) -> bool {
    const MAGIC: [u8; 12] = [
        0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19,
    ];
    let pickle =
        bytes.first() == Some(&0x80) && bytes.get(2..).is_some_and(|rest| rest.starts_with(&MAGIC));
    pickle || bytes.get(257..262) == Some(b"ustar")
}

/// A length of a header, then JSON.
fn is_safetensors(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk() else {
        return false;
    };
    (2..=100_000_000).contains(&u64::from_le_bytes(*length)) && rest.first() == Some(&b'{')
}
