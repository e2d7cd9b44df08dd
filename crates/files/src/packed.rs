//! Deflate and gzip, unpacked up to a limit.
//!
//! Invariant: bytes come out in steps and are counted, so that a stream which unpacks to more than the budget ends with
//! a refusal, and never with an allocation of the size that the stream claims.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::{DeflateDecoder, MultiGzDecoder};

use crate::limit::Budget;
use crate::{Error, Result};

/// The first two bytes of a gzip file.
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The file's bytes, unpacked where they are gzip.
pub(crate) fn plain<'a>(bytes: &'a [u8], budget: &mut Budget) -> Result<Cow<'a, [u8]>> {
    if !bytes.starts_with(&GZIP) {
        return Ok(Cow::Borrowed(bytes));
    }
    let unpacked = unpack(MultiGzDecoder::new(bytes), budget, || "the gzip".to_owned())?;
    Ok(Cow::Owned(unpacked))
}

/// A deflate stream of a zip archive; `of_what` names it in a refusal.
pub(crate) fn inflate(
    bytes: &[u8],
    budget: &mut Budget,
    of_what: impl Fn() -> String,
) -> Result<Vec<u8>> {
    unpack(DeflateDecoder::new(bytes), budget, of_what)
}

fn unpack(stream: impl Read, budget: &mut Budget, of_what: impl Fn() -> String) -> Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    let one_more = (budget.left() as u64).saturating_add(1);
    // The vector doubles as bytes arrive: at most three times what has come out is held while it moves.
    (stream.take(one_more).read_to_end(&mut unpacked)).map_err(|error| {
        Error::new(format!(
            "{}: {} stream is damaged or cut short ({error}); fetch the file again",
            budget.format(),
            of_what()
        ))
    })?;
    budget.take(unpacked.len())?;
    Ok(unpacked)
}
