//! Zip archives: `.npz` and `.pt` files are such.
//!
//! The structure is read by `rawzip`, which has no dependencies, allocates nothing and hands out slices; `zip` brings
//! random numbers, erased memory and path types of other systems, and copies each entry. Invariants: entries do not
//! overlap, so that stored entries together are no longer than the archive; deflated ones are counted by a [`Budget`];
//! an entry's bytes have the size and the checksum that the archive's directory says; a checksum of 0 is
//! none, as PyTorch writes it on request. Encryption and methods other than stored and deflate are refused.

use std::borrow::Cow;
use std::io::Write as _;

use flate2::Crc;
use flate2::write::DeflateEncoder;
use rawzip::extra_fields::ExtraFieldId;
use rawzip::{CompressionMethod, Header, ZipArchive, ZipArchiveWriter};

use crate::error::quoted;
use crate::limit::Budget;
use crate::{Error, Result, packed};

/// How the bytes of an archive's entries are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As they are.
    Stored,
    /// Deflated.
    Deflate,
}

/// One file of an archive, not yet unpacked.
pub(crate) struct Entry<'a> {
    pub(crate) name: String,
    packed: &'a [u8],
    method: CompressionMethod,
    size: u64,
    crc: u32,
}

/// All files of an archive, in the order of its directory.
pub(crate) fn entries<'a>(format: &'static str, bytes: &'a [u8]) -> Result<Vec<Entry<'a>>> {
    let refuse = |what: String| Error::new(format!("{format}: {what}"));
    let archive = ZipArchive::from_slice(bytes).map_err(|error| {
        refuse(format!(
            "these {} bytes have no directory of a zip archive ({error}); the file is cut short or of another format",
            bytes.len()
        ))
    })?;
    let mut entries = Vec::new();
    let mut ranges = Vec::new();
    for record in archive.entries() {
        let record = record.map_err(|error| {
            refuse(format!(
                "record {} of the archive's directory is damaged ({error}); fetch the file again",
                entries.len()
            ))
        })?;
        let path = record.file_path();
        let name = std::str::from_utf8(path.as_ref()).map_err(|_| {
            refuse(format!(
                "the name of entry {} of the archive is not UTF-8; write the archive again with plain names",
                entries.len()
            ))
        })?;
        if record.is_dir() {
            continue;
        }
        let method = record.compression_method();
        if record.flags().is_encrypted() {
            return Err(refuse(format!(
                "entry {} of the archive is encrypted; save it without a password",
                quoted(name)
            )));
        }
        if method != CompressionMethod::STORE && method != CompressionMethod::DEFLATE {
            return Err(refuse(format!(
                "entry {} of the archive is compressed with method {method}; stored (0) and deflate (8) are read, so write the archive again with one of them",
                quoted(name)
            )));
        }
        let place = (archive.get_entry(record.wayfinder())).map_err(|error| {
            refuse(format!(
                "entry {} claims {} bytes at {}, and the archive of {} bytes does not have them ({error}); fetch the file again",
                quoted(name),
                record.compressed_size_hint(),
                record.local_header_offset(),
                bytes.len()
            ))
        })?;
        let (start, end) = place.compressed_data_range();
        ranges.push((start, end, entries.len()));
        entries.push(Entry {
            name: name.to_owned(),
            packed: &bytes[start as usize..end as usize],
            method,
            size: record.uncompressed_size_hint(),
            crc: record.crc32(),
        });
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        let ((_, end, first), (start, _, second)) = (pair[0], pair[1]);
        if start < end {
            return Err(refuse(format!(
                "entries {} and {} of the archive lie over each other; write the archive again",
                quoted(&entries[first].name),
                quoted(&entries[second].name)
            )));
        }
    }
    Ok(entries)
}

impl<'a> Entry<'a> {
    /// Its bytes: a part of the archive where they are stored.
    pub(crate) fn bytes(&self, budget: &mut Budget) -> Result<Cow<'a, [u8]>> {
        let bytes = if self.method == CompressionMethod::STORE {
            Cow::Borrowed(self.packed)
        } else {
            let of_what = || format!("entry {}: its deflate", quoted(&self.name));
            Cow::Owned(packed::inflate(self.packed, budget, of_what)?)
        };
        let refuse = |what: String| {
            Error::new(format!(
                "{}: entry {} of the archive {what}; fetch the file again",
                budget.format(),
                quoted(&self.name)
            ))
        };
        if bytes.len() as u64 != self.size {
            return Err(refuse(format!(
                "claims {} bytes and has {}",
                self.size,
                bytes.len()
            )));
        }
        let mut crc = Crc::new();
        crc.update(&bytes);
        if self.crc != 0 && crc.sum() != self.crc {
            return Err(refuse(format!(
                "has checksum {:08x}, and its bytes have {:08x}",
                self.crc,
                crc.sum()
            )));
        }
        Ok(bytes)
    }
}

/// An archive with these files. A file's bytes begin at a multiple of `alignment`, as PyTorch has them for mapping.
pub(crate) fn write(
    format: &'static str,
    files: &[(String, Cow<'_, [u8]>)],
    compression: Compression,
    alignment: usize,
) -> Result<Vec<u8>> {
    write_entries(files, compression, alignment)
        .map_err(|error| Error::new(format!("{format}: the archive cannot be written: {error}")))
}

fn write_entries(
    files: &[(String, Cow<'_, [u8]>)],
    compression: Compression,
    alignment: usize,
) -> std::result::Result<Vec<u8>, rawzip::Error> {
    /// Of a local header, without name and extra fields.
    const HEADER: usize = 30;
    /// Of an extra field, before its bytes.
    const FIELD: usize = 4;
    /// What PyTorch's writer calls its filling.
    const FILLING: ExtraFieldId = ExtraFieldId::new(u16::from_le_bytes(*b"FB"));

    let mut archive = ZipArchiveWriter::new(Vec::new());
    for (name, bytes) in files {
        let start = archive.stream_offset() as usize + HEADER + name.len() + FIELD;
        let builder = archive.new_file(name.as_str());
        let builder = match (compression, alignment) {
            (Compression::Deflate, _) => builder.compression_method(CompressionMethod::DEFLATE),
            (Compression::Stored, 0 | 1) => builder,
            (Compression::Stored, n) => {
                let filling = vec![b'Z'; start.next_multiple_of(n) - start];
                builder.extra_field(FILLING, &filling, Header::LOCAL)?
            }
        };
        let (mut entry, config) = builder.start()?;
        let descriptor = match compression {
            Compression::Stored => {
                let mut writer = config.wrap(&mut entry);
                writer.write_all(bytes)?;
                writer.finish()?.1
            }
            Compression::Deflate => {
                let encoder = DeflateEncoder::new(&mut entry, flate2::Compression::default());
                let mut writer = config.wrap(encoder);
                writer.write_all(bytes)?;
                let (encoder, descriptor) = writer.finish()?;
                encoder.finish()?;
                descriptor
            }
        };
        entry.finish(descriptor)?;
    }
    archive.finish()
}
