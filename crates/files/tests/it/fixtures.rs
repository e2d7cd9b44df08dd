//! Files for tests: those of real tools, and files made by hand, which may lie.

use std::io::Write as _;

use flate2::{Compression, Crc};
use glowgrad_files::cifar::Classes;
use glowgrad_files::csv_table::{self, Options};
use glowgrad_files::image::Layout;
use glowgrad_files::{Limit, Result, cifar, idx, image, npy, npz, pt, safetensors};
use glowgrad_tensor::DType;

/// A file that `make_fixtures.py` wrote.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Reads a file and forgets what was in it.
pub(crate) type Reader = fn(&[u8], Limit) -> Result<()>;

/// Every reader by the name with which its refusals begin.
pub(crate) const READERS: [(&str, Reader); 8] = [
    ("safetensors", |bytes, _| safetensors::read(bytes).map(drop)),
    ("npy", |bytes, _| npy::read(bytes).map(drop)),
    ("npz", |bytes, limit| {
        npz::read_within(bytes, limit).map(drop)
    }),
    ("pt", |bytes, limit| pt::read_within(bytes, limit).map(drop)),
    ("idx", |bytes, limit| {
        idx::read_within(bytes, limit).map(drop)
    }),
    ("cifar", |bytes, limit| {
        cifar::read_within(bytes, Classes::Hundred, limit).map(drop)?;
        cifar::read_within(bytes, Classes::Ten, limit).map(drop)
    }),
    ("csv", |bytes, _| {
        let table = csv_table::read(bytes, Options::default())?;
        let names = table.names().to_vec();
        for name in &names {
            table.labels(name)?;
            table.is_numeric(name, DType::I64)?;
        }
        table.numbers(&names, DType::F32).map(drop)
    }),
    ("image", |bytes, limit| {
        image::read_within(bytes, Layout::Chw, limit).map(drop)
    }),
];

/// The reader of that name.
pub(crate) fn reader(name: &str) -> Reader {
    let found = READERS.iter().find(|(other, _)| *other == name);
    found.unwrap_or_else(|| panic!("no reader {name}")).1
}

/// A safetensors file with this header.
pub(crate) fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(data);
    file
}

/// An `.npy` file of version 1 with this header.
pub(crate) fn npy_file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(data);
    file
}

/// An `.npy` file of these bytes as numbers of this type and shape.
pub(crate) fn npy_of(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    npy_file(&header, data)
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A file of a zip archive, whose claims a test may falsify.
#[derive(Clone)]
pub(crate) struct ZipFile {
    pub(crate) name: Vec<u8>,
    pub(crate) packed: Vec<u8>,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) crc: u32,
    pub(crate) packed_size: u32,
    pub(crate) size: u32,
    /// Where its header lies, when it is not where it was written.
    pub(crate) offset: Option<u32>,
}

impl ZipFile {
    pub(crate) fn stored(name: &str, bytes: &[u8]) -> ZipFile {
        ZipFile::packed(name, bytes, bytes.to_vec(), 0)
    }

    pub(crate) fn deflated(name: &str, bytes: &[u8]) -> ZipFile {
        ZipFile::packed(name, bytes, deflate(bytes), 8)
    }

    fn packed(name: &str, bytes: &[u8], packed: Vec<u8>, method: u16) -> ZipFile {
        let mut crc = Crc::new();
        crc.update(bytes);
        ZipFile {
            name: name.as_bytes().to_vec(),
            packed_size: packed.len() as u32,
            packed,
            method,
            flags: 0,
            crc: crc.sum(),
            size: bytes.len() as u32,
            offset: None,
        }
    }
}

/// An archive of these files.
pub(crate) fn zip(files: &[ZipFile]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let offset = file.offset.unwrap_or(archive.len() as u32);
        let mut common = Vec::new();
        for half in [20, file.flags, file.method, 0, 0x21] {
            common.extend_from_slice(&half.to_le_bytes());
        }
        for word in [file.crc, file.packed_size, file.size] {
            common.extend_from_slice(&word.to_le_bytes());
        }
        common.extend_from_slice(&(file.name.len() as u16).to_le_bytes());
        common.extend_from_slice(&[0; 2]);
        if file.offset.is_none() {
            archive.extend_from_slice(b"PK\x03\x04");
            archive.extend_from_slice(&common);
            archive.extend_from_slice(&file.name);
            archive.extend_from_slice(&file.packed);
        }
        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(&file.name);
    }
    let start = archive.len() as u32;
    archive.extend_from_slice(&directory);
    archive.extend_from_slice(b"PK\x05\x06\x00\x00\x00\x00");
    archive.extend_from_slice(&(files.len() as u16).to_le_bytes());
    archive.extend_from_slice(&(files.len() as u16).to_le_bytes());
    archive.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    archive.extend_from_slice(&start.to_le_bytes());
    archive.extend_from_slice(&[0; 2]);
    archive
}

/// A `.pt` file with this pickle and one storage of eight bytes, `data/0`.
pub(crate) fn pt_file(pickle: &[u8]) -> Vec<u8> {
    zip(&[
        ZipFile::stored("a/data.pkl", pickle),
        ZipFile::stored("a/data/0", &[0, 0, 128, 63, 0, 0, 0, 64]),
        ZipFile::stored("a/version", b"3\n"),
    ])
}

/// The pickle of a text.
pub(crate) fn text(text: &str) -> Vec<u8> {
    let mut pickle = vec![b'X'];
    pickle.extend_from_slice(&(text.len() as u32).to_le_bytes());
    pickle.extend_from_slice(text.as_bytes());
    pickle
}

/// The pickle of a tensor: class, key and elements of its storage; then offset, sizes and strides as pickles.
pub(crate) fn tensor(class: &str, key: &str, numel: u8, view: &[u8]) -> Vec<u8> {
    let mut pickle = b"ctorch._utils\n_rebuild_tensor_v2\n((".to_vec();
    pickle.extend(text("storage"));
    pickle.extend_from_slice(format!("c{class}\n").as_bytes());
    pickle.extend(text(key));
    pickle.extend(text("cpu"));
    pickle.extend_from_slice(&[b'K', numel, b't', b'Q']);
    pickle.extend_from_slice(view);
    pickle.extend_from_slice(b"\x89ccollections\nOrderedDict\n)RtR");
    pickle
}
