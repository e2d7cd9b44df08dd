//! Random bytes, and good files with random changes: no reader panics, and none takes more memory than it says.

use std::io::Read as _;

use glowgrad_files::{Kind, Limit};
use proptest::prelude::*;

use crate::fixtures::{READERS, ZipFile, fixture, gzip, npy_of, pt_file, reader, zip};
use crate::memory::peak;

/// Of unpacked bytes, in these tests.
const LIMIT: usize = 1 << 20;

/// Bytes that a reader may hold: the limit's, the file's, and the decoders' tables.
fn most(bytes: &[u8]) -> usize {
    8 * LIMIT + 96 * bytes.len() + (512 << 10)
}

fn read_all(bytes: &[u8]) -> Result<(), TestCaseError> {
    Kind::of(bytes);
    for (name, read) in READERS {
        let (result, held) = peak(|| read(bytes, Limit::new(LIMIT)));
        prop_assert!(
            held <= most(bytes),
            "{name}: {held} bytes held for {}",
            bytes.len()
        );
        if let Err(error) = result {
            let sentence = error.to_string();
            let prefix = format!("{name}: ");
            prop_assert!(sentence.starts_with(&prefix), "{sentence}");
            prop_assert!(sentence.len() < 2000, "{sentence}");
        }
    }
    Ok(())
}

/// A change of a file.
#[derive(Debug, Clone)]
enum Change {
    Set(usize, u8),
    Flip(usize, u8),
    /// Four bytes at once: a length.
    Length(usize, u32),
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    Cut(usize),
    /// A part of the file, over another.
    Copy(usize, usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<usize>();
    let length = prop_oneof![
        Just(0),
        Just(1),
        Just(u32::MAX),
        Just(0x7fff_ffff),
        any::<u32>()
    ];
    prop_oneof![
        4 => (at, any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        4 => (at, 0..8_u8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        2 => (at, length).prop_map(|(at, length)| Change::Length(at, length)),
        1 => (at, proptest::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        1 => (at, 1..40_usize).prop_map(|(at, n)| Change::Remove(at, n)),
        1 => at.prop_map(Change::Cut),
        1 => (at, any::<usize>(), 1..40_usize).prop_map(|(from, to, n)| Change::Copy(from, to, n)),
    ]
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    proptest::collection::vec(change(), 1..6)
}

fn apply(bytes: &mut Vec<u8>, changes: &[Change]) {
    for change in changes {
        let length = bytes.len();
        if length == 0 {
            return;
        }
        match change {
            Change::Set(at, byte) => bytes[at % length] = *byte,
            Change::Flip(at, bit) => bytes[at % length] ^= 1 << bit,
            Change::Length(at, n) => {
                let at = at % length;
                let end = (at + 4).min(length);
                bytes[at..end].copy_from_slice(&n.to_le_bytes()[..end - at]);
            }
            Change::Insert(at, more) => {
                drop(bytes.splice(at % length..at % length, more.iter().copied()))
            }
            Change::Remove(at, n) => {
                let at = at % length;
                bytes.drain(at..(at + n).min(length));
            }
            Change::Cut(at) => bytes.truncate(at % length),
            Change::Copy(from, to, n) => {
                let (from, to) = (from % length, to % length);
                let n = (*n).min(length - from).min(length - to);
                bytes.copy_within(from..from + n, to);
            }
        }
    }
}

const FILES: [&str; 31] = [
    "all.safetensors",
    "f4.npy",
    "f8_big_fortran.npy",
    "u1_version3.npy",
    "empty.npy",
    "stored.npz",
    "deflated.npz",
    "state_dict.pt",
    "deflated.pt",
    "big_endian.pt",
    "protocol4.pt",
    "no_checksums.pt",
    "checkpoint.pt",
    "refused_legacy.pt",
    "refused_script.pt",
    "u1.idx",
    "f8.idx",
    "images.idx.gz",
    "cifar10.bin.gz",
    "cifar100.bin.gz",
    "rgb.png",
    "grey_alpha.png",
    "one_bit.png",
    "sixteen.png",
    "palette.png",
    "rgb.jpg",
    "halved.jpg",
    "progressive.jpg",
    "grey.jpg",
    "cmyk.jpg",
    "refused_objects.npy",
];

/// The pickle of a file of PyTorch.
fn pickle_of(name: &str) -> Vec<u8> {
    let file = fixture(name);
    // It is stored, and the first of the archive.
    let start = file
        .windows(2)
        .position(|pair| pair == [0x80, file_protocol(name)])
        .unwrap();
    let end = file
        .windows(4)
        .position(|bytes| bytes == b"PK\x07\x08")
        .unwrap();
    file[start..end].to_vec()
}

fn file_protocol(name: &str) -> u8 {
    if name == "protocol4.pt" { 4 } else { 2 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        read_all(&bytes)?;
    }

    #[test]
    fn of_random_bytes_that_begin_well(
        begin in proptest::sample::select(FILES.to_vec()),
        share in 1..100_usize,
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
    ) {
        let mut file = fixture(begin);
        file.truncate(file.len() * share / 100);
        file.extend(bytes);
        read_all(&file)?;
    }

    #[test]
    fn of_random_instructions(pickle in proptest::collection::vec(proptest::sample::select(
        b"NJKMXGtae})](sub.qhrjcRQ0\x01\x02\x00\x05\x80\x85\x86\x87\x88\x8a\x8c\x93\x94q\x00h\x00".to_vec()), 0..200)) {
        read_all(&pt_file(&pickle))?;
    }

    #[test]
    fn of_random_tables(text in "[a-c0-9,.\"\n\t -]{0,200}") {
        read_all(text.as_bytes())?;
    }

    #[test]
    fn of_random_headers(
        safetensors in "\\{(\"[ab]\":\\{\"dtype\":\"(F32|U8|X)\",\"shape\":\\[[0-9,]{0,6}\\],\"data_offsets\":\\[[0-9],[0-9]{1,20}\\]\\},?){0,3}\\}",
        npy in "[{}'a-f<>|=:, ()0-9LTrueFals]{0,80}",
    ) {
        read_all(&crate::fixtures::with_header(&safetensors, &[0; 8]))?;
        read_all(&crate::fixtures::npy_file(&npy, &[0; 8]))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_changed_files(name in proptest::sample::select(FILES.to_vec()), changes in changes()) {
        let mut file = fixture(name);
        apply(&mut file, &changes);
        read_all(&file)?;
    }

    /// A checksum stands before a pickle, an array and a gzip: these are changed and packed again.
    #[test]
    fn of_changed_contents(changes in changes(), which in 0..5_usize) {
        let mut contents = match which {
            0 => pickle_of("checkpoint.pt"),
            1 => pickle_of("protocol4.pt"),
            2 => npy_of(">f8", "(2, 3)", &[1; 48]),
            3 => fixture("f4.idx"),
            _ => fixture("f8_big_fortran.npy"),
        };
        apply(&mut contents, &changes);
        let file = match which {
            0 | 1 => pt_file(&contents),
            2 | 4 => zip(&[ZipFile::deflated("x.npy", &contents)]),
            _ => gzip(&contents),
        };
        read_all(&file)?;
    }
}

/// Every shorter beginning of a good file is refused, but for a table, which may end after any line.
#[test]
fn every_beginning_of_a_file_is_refused() {
    let mut n = 0;
    for name in FILES.iter().filter(|name| !name.starts_with("refused")) {
        let file = fixture(name);
        let read = reader(match name.rsplit('.').next().unwrap() {
            "safetensors" => "safetensors",
            "npy" => "npy",
            "npz" => "npz",
            "pt" => "pt",
            "idx" => "idx",
            "png" | "jpg" => "image",
            _ if name.contains("idx") => "idx",
            _ => "cifar",
        });
        for end in 0..file.len() {
            let bytes = &file[..end];
            let (result, held) = peak(|| read(bytes, Limit::of(bytes)));
            assert!(
                result.is_err(),
                "{name}: its first {end} bytes of {} are read",
                file.len()
            );
            assert!(
                held <= 64 * end + (512 << 10),
                "{name}: {held} bytes held for {end}"
            );
            n += 1;
        }
    }
    println!("{n} beginnings refused");
}

#[test]
fn the_pickles_that_are_changed_are_whole() {
    let mut unpacked = Vec::new();
    let gz = fixture("images.idx.gz");
    flate2::read::GzDecoder::new(&gz[..])
        .read_to_end(&mut unpacked)
        .unwrap();
    assert_eq!(Kind::of(&unpacked), Some(Kind::Idx));
    for name in ["checkpoint.pt", "protocol4.pt"] {
        assert!(pickle_of(name).ends_with(b"."), "{name}");
    }
}
