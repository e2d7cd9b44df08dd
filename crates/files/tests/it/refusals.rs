//! Files that are cut, too long or lie: each is refused with a sentence that names the fault, within its own memory.

use glowgrad_files::Limit;
use glowgrad_files::csv_table::{self, Options};
use glowgrad_tensor::DType;

use crate::fixtures::{fixture, gzip, npy_file, npy_of, reader, with_header};
use crate::memory::peak;
use crate::refusals_of_archives;

/// A file, the reader that refuses it, and words of the refusal.
pub(crate) struct Case {
    pub(crate) reader: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) words: &'static str,
}

pub(crate) fn case(reader: &'static str, bytes: impl Into<Vec<u8>>, words: &'static str) -> Case {
    Case {
        reader,
        bytes: bytes.into(),
        words,
    }
}

/// What a reader may hold for each byte of a file, and beside it: tables of the decoders.
pub(crate) const FACTOR: usize = 64;
pub(crate) const TABLES: usize = 512 << 10;

/// What is wrong with the refusal of a file, if anything.
fn fault(case: &Case) -> Option<String> {
    let read = reader(case.reader);
    let (result, held) = peak(|| read(&case.bytes, Limit::of(&case.bytes)));
    let Err(error) = result else {
        return Some(format!(
            "{}: read, and to be refused with {:?}",
            case.reader, case.words
        ));
    };
    let sentence = error.to_string();
    let most = FACTOR * case.bytes.len() + TABLES;
    let begins = sentence.starts_with(&format!("{}: ", case.reader));
    let one_line = !sentence.contains('\n') && sentence.len() < 600;
    (!begins || !one_line || !sentence.contains(case.words) || held > most).then(|| {
        format!(
            "{sentence:?} for {:?}, {held} bytes held of {most}",
            case.words
        )
    })
}

#[test]
fn each_is_refused_by_name_within_its_memory() {
    let mut cases = of_safetensors();
    cases.extend(of_npy());
    cases.extend(of_idx_and_cifar());
    cases.extend(of_csv());
    cases.extend(of_images());
    cases.extend(refusals_of_archives::of_npz());
    cases.extend(refusals_of_archives::of_pt());
    cases.extend(refusals_of_archives::of_pickles());
    let faults: Vec<String> = cases.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("{} files refused", cases.len());
    assert!(cases.len() >= 120, "{}", cases.len());
}

fn of_safetensors() -> Vec<Case> {
    let case = |bytes: Vec<u8>, words| case("safetensors", bytes, words);
    let header = |text: &str, n: usize| with_header(text, &vec![0; n]);
    let good = r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
    vec![
        case(Vec::new(), "the file has 0 bytes"),
        case(vec![1; 7], "the file has 7 bytes"),
        case(
            vec![0xff; 64],
            "claims a header of 18446744073709551615 bytes",
        ),
        case(
            [&200_000_000_u64.to_le_bytes()[..], b"{}"].concat(),
            "allows 100000000",
        ),
        case(
            [&100_u64.to_le_bytes()[..], b"{}"].concat(),
            "claims a header of 100 bytes, and 2 follow",
        ),
        case(header("", 0), "EOF while parsing"),
        case(header("{", 0), "EOF while parsing"),
        case(header("[]", 0), "an object with a tensor for each name"),
        case(
            with_header("{\"\u{e9}\":1}", &[]),
            "expected an object with dtype, shape and data_offsets",
        ),
        case(
            [&3_u64.to_le_bytes()[..], b"{\"\xff"].concat(),
            "the header cannot be read",
        ),
        case(
            header(r#"{"w":{"dtype":"F32","shape":[2]}}"#, 8),
            "missing field `data_offsets`",
        ),
        case(
            header(r#"{"w":{"dtype":"F7","shape":[],"data_offsets":[0,0]}}"#, 0),
            "tensor \"w\" has dtype \"F7\", which glowgrad lacks",
        ),
        case(
            fixture("refused_f8.safetensors"),
            "\"F8_E5M2\", which glowgrad lacks",
        ),
        case(
            fixture("refused_complex.safetensors"),
            "\"C64\", which glowgrad lacks",
        ),
        case(header(good, 7), "from 0 to 8, and 7 follow the header"),
        case(header(good, 9), "end at byte 8, and 9 bytes follow"),
        case(
            header(
                r#"{"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#,
                8,
            ),
            "8 bytes, and shape [3] of F32 takes 12",
        ),
        case(
            header(
                r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#,
                8,
            ),
            "from 8 to 0",
        ),
        case(
            header(
                r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}"#,
                16,
            ),
            "the tensor before it ends at 0",
        ),
        case(
            header(
                r#"{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}"#,
                6,
            ),
            "\"b\" has the bytes from 2 to 6, and the tensor before it ends at 4",
        ),
        case(
            header(
                r#"{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}"#,
                2,
            ),
            "the name \"w\" comes twice",
        ),
        case(
            header(r#"{"__metadata__":{"a":"b"},"__metadata__":{}}"#, 0),
            "the metadata comes twice",
        ),
        case(
            header(r#"{"__metadata__":{"a":"b","a":"c"}}"#, 0),
            "the name \"a\" comes twice",
        ),
        case(
            header(r#"{"__metadata__":{"a":1}}"#, 0),
            "expected a string",
        ),
        case(
            header(
                r#"{"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}"#,
                8,
            ),
            "invalid value: integer `-2`",
        ),
        case(
            header(
                r#"{"w":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}}"#,
                8,
            ),
            "floating point `2.5`",
        ),
        case(
            header(
                r#"{"w":{"dtype":"F32","shape":[9223372036854775808,2],"data_offsets":[0,0]}}"#,
                0,
            ),
            "of F32 takes more than a memory has",
        ),
        case(
            header(
                r#"{"w":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}"#,
                0,
            ),
            "of F32 takes more than a memory has",
        ),
        case(
            header(
                r#"{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615]}}"#,
                1,
            ),
            "to 18446744073709551615, and 1 follow",
        ),
        case(header(&"[".repeat(5000), 0), "the header cannot be read"),
        case(
            header(&format!("{{\"{}\":3}}", "x".repeat(5000)), 0),
            "expected an object with dtype, shape and data_offsets",
        ),
    ]
}

fn of_npy() -> Vec<Case> {
    let case = |bytes: Vec<u8>, words| case("npy", bytes, words);
    let header = |text: &str| npy_file(text, &[0; 8]);
    let magic = b"\x93NUMPY";
    vec![
        case(Vec::new(), "these 0 bytes are not an .npy file"),
        case(b"\x93NUMPX\x01\x00".to_vec(), "are not an .npy file"),
        case(magic.to_vec(), "ends after 6 bytes, within its header"),
        case([&magic[..], &[1, 0, 9]].concat(), "ends after 9 bytes"),
        case(
            [&magic[..], &[2, 0, 9, 0, 0]].concat(),
            "ends after 11 bytes",
        ),
        case(
            [&magic[..], &[4, 0, 9, 0]].concat(),
            "version 4; 1, 2 and 3 are read",
        ),
        case(
            [&magic[..], &[1, 0, 0xff, 0xff], b"{}"].concat(),
            "claims a header of 65535 bytes, and 2 follow",
        ),
        case(
            [&magic[..], &[3, 0, 0xff, 0xff, 0xff, 0xff], b"{}"].concat(),
            "claims a header of 4294967295 bytes, and 2 follow",
        ),
        case(
            npy_of("<f4", "(2,)", &[0; 7]),
            "shape [2] of <f4 takes 8 bytes, and 7 follow",
        ),
        case(
            npy_of("<f4", "(2,)", &[0; 9]),
            "takes 8 bytes, and 9 follow",
        ),
        case(
            npy_of("<f4", "(2147483648, 2147483648)", &[0; 8]),
            "takes more than a memory has",
        ),
        case(
            npy_of("<f8", "(1099511627776, 1)", &[0; 8]),
            "takes 8796093022208 bytes, and 8 follow",
        ),
        case(
            npy_of("<f8", "(99999999999999999999999,)", &[0; 8]),
            "beyond all memory",
        ),
        case(npy_of("<f8", "(-1,)", &[0; 8]), "a size is negative"),
        case(npy_of("<f8", "(1.0,)", &[0; 8]), "is '.' and not ')'"),
        case(npy_of("<f8", "1", &[0; 8]), "is '1' and not '('"),
        case(
            npy_of("<f8", &format!("({})", "1,".repeat(65)), &[0; 8]),
            "more than 64 dimensions",
        ),
        case(npy_of("<f3", "(2,)", &[0; 6]), "\"<f3\" are no numbers"),
        case(npy_of("<V2", "(2,)", &[0; 4]), "\"<V2\" are no numbers"),
        case(npy_of("é", "(2,)", &[0; 4]), "are no numbers"),
        case(npy_of("", "(2,)", &[0; 4]), "are no numbers"),
        case(
            fixture("refused_complex.npy"),
            "\"<c8\" are complex numbers",
        ),
        case(fixture("refused_text.npy"), "\"<U2\" are text"),
        case(
            fixture("refused_objects.npy"),
            "\"|O\" are Python objects, which are pickles",
        ),
        case(fixture("refused_dates.npy"), "are dates or durations"),
        case(fixture("refused_records.npy"), "records with fields"),
        case(header(""), "it ends before a '{'"),
        case(header("{'descr': '<f4'"), "it ends before a '}'"),
        case(
            header("{'descr': '<f4', 'shape': (2,)}"),
            "lacks one of descr",
        ),
        case(header("{'descr': '<f4"), "a quote is not closed"),
        case(
            header("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"),
            "neither True nor False",
        ),
        case(
            header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} + 1"),
            "text follows the dict",
        ),
        case(
            header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}"),
            "has the key \"x\"",
        ),
        case(header("__import__('os').system('true')"), "cannot be read"),
    ]
}

fn of_idx_and_cifar() -> Vec<Case> {
    let idx = |bytes: &[u8], words| case("idx", bytes, words);
    let cifar = |bytes: Vec<u8>, words| case("cifar", bytes, words);
    let mut record = vec![0; 3073];
    record[0] = 10;
    let packed = fixture("images.idx.gz");
    vec![
        idx(&[], "the file has 0 bytes"),
        idx(&[0, 0, 8], "the file has 3 bytes"),
        idx(&[1, 0, 8, 1, 0, 0, 0, 0], "begins with 01 00"),
        idx(&[0, 0, 10, 1, 0, 0, 0, 0], "elements of type 0x0a"),
        idx(&[0, 0, 8, 0], "0 dimensions, and 1 to 4 are read"),
        idx(&[0, 0, 8, 5, 0, 0, 0, 0], "5 dimensions"),
        idx(
            &[0, 0, 8, 2, 0, 0, 0, 1, 0],
            "ends after 9 bytes, within the sizes of its 2 dimensions",
        ),
        idx(
            &[0, 0, 8, 1, 0, 0, 0, 3, 5, 0],
            "sizes [3] of uint8 take 3 bytes, and 2 follow",
        ),
        idx(
            &[0, 0, 8, 1, 0, 0, 0, 1, 5, 0],
            "take 1 bytes, and 2 follow",
        ),
        idx(
            &[0, 0, 8, 1, 0xff, 0xff, 0xff, 0xff, 5],
            "take 4294967295 bytes, and 1 follow",
        ),
        idx(
            &[&[0, 0, 14, 4][..], &[0xff; 17]].concat(),
            "take more than a memory has",
        ),
        idx(
            &packed[..packed.len() / 2],
            "the gzip stream is damaged or cut short",
        ),
        idx(
            &packed[..packed.len() - 1],
            "the gzip stream is damaged or cut short",
        ),
        idx(&[0x1f, 0x8b], "the gzip stream is damaged or cut short"),
        idx(&gzip(b"text"), "begins with 74 65"),
        idx(
            &[&packed[..], b"more"].concat(),
            "the gzip stream is damaged or cut short",
        ),
        cifar(Vec::new(), "the file is empty; expected records of 3074"),
        cifar(vec![0; 3072], "3072 bytes, and records of 3074"),
        cifar(
            vec![255; 3074],
            "record 0 has the label 255, and labels are below 20",
        ),
        cifar(gzip(&vec![0; 3075]), "1 are left over"),
        cifar(
            [vec![0; 3074], vec![19, 100], vec![0; 3072]].concat(),
            "record 1 has the label 100, and labels are below 100",
        ),
        cifar(vec![0x1f, 0x8b, 8, 0, 0, 0], "the gzip stream is damaged"),
    ]
}

fn of_csv() -> Vec<Case> {
    let case = |bytes: &[u8], words| case("csv", bytes, words);
    vec![
        case(b"", "the file has no line"),
        case(b"\n\n", "the file has no line"),
        case(
            b"a,b\n1,2\n3\n",
            "line 3 has another number of fields than the first: 1 and not 2",
        ),
        case(
            b"a,b\n1,2,3\n",
            "line 2 has another number of fields than the first: 3 and not 2",
        ),
        case(b"a,a\n1,2\n", "names two columns \"a\""),
        case(b"a,b\n1,\xff\n", "line 2, column 2: the field is not UTF-8"),
        case(
            b"a,b\n1,2\n3,x\n",
            "line 3, column 2 (\"b\"): \"x\" is no number of float32",
        ),
        case(
            b"a,b\n1,2\n,4\n",
            "line 3, column 1 (\"a\"): the field is empty",
        ),
        case(
            b"a,b\n\"1\n\",2\n3,4 4\n",
            "line 4, column 2 (\"b\"): \"4 4\" is no number",
        ),
        case(
            b"a\n1,5\n",
            "line 2 has another number of fields than the first: 2 and not 1",
        ),
    ]
}

#[test]
fn csv_columns_are_refused_by_name() {
    let table = csv_table::read(b"a,b\n1,2\n300,2.5\n", Options::default()).unwrap();
    let refusal = |columns: &[&str], dtype| table.numbers(columns, dtype).unwrap_err().to_string();
    assert!(
        refusal(&["c"], DType::F32)
            .contains("no column is named \"c\"; the table has 2 columns: \"a\", \"b\"")
    );
    assert!(
        refusal(&["a"], DType::U8)
            .contains("line 3, column 1 (\"a\"): \"300\" is no number of uint8")
    );
    assert!(refusal(&["b"], DType::I64).contains("\"2.5\" is no number of int64"));
    assert!(refusal(&["a"], DType::F16).contains("not as float16"));
    assert!(table.numbers(&["a", "b"], DType::F64).is_ok());
    assert!(table.is_numeric("a", DType::I64).unwrap());
    assert!(!table.is_numeric("b", DType::I64).unwrap());
}

#[test]
fn csv_without_a_header_and_with_tabs() {
    let options = Options {
        header: false,
        delimiter: b'\t',
    };
    let table = csv_table::read(b"\xef\xbb\xbf1\tx\n2\ty, z\n", options).unwrap();
    assert_eq!(table.names(), ["0", "1"]);
    assert_eq!(table.texts("1").unwrap(), ["x", "y, z"]);
    assert_eq!(table.numbers(&["0"], DType::I8).unwrap().bytes(), [1, 2]);
}

/// A PNG with another width and height in its header.
fn resized(width: u32, height: u32) -> Vec<u8> {
    let mut file = fixture("grey.png");
    file[16..20].copy_from_slice(&width.to_be_bytes());
    file[20..24].copy_from_slice(&height.to_be_bytes());
    let mut crc = flate2::Crc::new();
    crc.update(&file[12..29]);
    let crc = crc.sum().to_be_bytes();
    file[29..33].copy_from_slice(&crc);
    file
}

/// A JPEG with another height and width in its frame.
pub(crate) fn reframed(name: &str, frame: u8, [height, width]: [u16; 2]) -> Vec<u8> {
    let mut file = fixture(name);
    let at = file
        .windows(2)
        .position(|pair| pair == [0xff, frame])
        .unwrap();
    file[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    file[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    file
}

fn of_images() -> Vec<Case> {
    let case = |bytes: Vec<u8>, words| case("image", bytes, words);
    let part = |name: &str, share: usize| {
        let mut file = fixture(name);
        file.truncate(file.len() * share / 8);
        file
    };
    let mut damaged = fixture("rgb.png");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    vec![
        case(Vec::new(), "begin neither a PNG nor a JPEG"),
        case(b"GIF89a".to_vec(), "begin neither a PNG nor a JPEG"),
        case(part("rgb.png", 1), "the PNG is damaged or cut short"),
        case(part("rgb.png", 4), "the PNG is damaged or cut short"),
        case(part("rgb.png", 7), "the PNG is damaged or cut short"),
        case(
            fixture("rgb.png")[..8].to_vec(),
            "the PNG is damaged or cut short",
        ),
        case(damaged, "the PNG is damaged or cut short"),
        case(
            resized(0x7fff_ffff, 0x7fff_ffff),
            "the PNG claims 2147483647 x 2147483647 x 1 bytes of pixels, and the limit allows",
        ),
        case(
            resized(100_000, 100_000),
            "the PNG claims 100000 x 100000 x 1 bytes",
        ),
        case(
            resized(0x7fff_ffff, 1),
            "the PNG claims 2147483647 x 1 x 1 bytes",
        ),
        case(resized(0, 4), "the PNG is damaged or cut short"),
        case(resized(0xffff_ffff, 4), "the PNG"),
        case(part("rgb.jpg", 1), "the JPEG is damaged or cut short"),
        case(part("rgb.jpg", 4), "the JPEG is damaged or cut short"),
        case(part("rgb.jpg", 7), "the JPEG is damaged or cut short"),
        case(
            part("progressive.jpg", 6),
            "the JPEG is damaged or cut short",
        ),
        case(vec![0xff, 0xd8, 0xff], "the JPEG is damaged or cut short"),
        case(
            reframed("rgb.jpg", 0xc0, [65_535; 2]),
            "the JPEG claims 65535 x 65535 x 3 bytes",
        ),
        case(
            reframed("progressive.jpg", 0xc2, [65_535; 2]),
            "the JPEG claims 65535 x 65535 x 3 bytes",
        ),
        case(
            reframed("grey.jpg", 0xc0, [60_000; 2]),
            "the JPEG claims 60000 x 60000 x 1 bytes",
        ),
        case(reframed("grey.jpg", 0xc0, [0; 2]), "the JPEG is damaged"),
    ]
}
