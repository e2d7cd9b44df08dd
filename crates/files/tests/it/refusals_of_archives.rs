//! Zip archives and pickles that are cut or lie; `refusals.rs` holds the readers to them.

use glowgrad_files::Array;
use glowgrad_files::pt::{self, Value};
use glowgrad_tensor::DType;

use crate::fixtures::{ZipFile, fixture, npy_of, pt_file, tensor, text, zip};
use crate::refusals::{Case, case};

/// An archive of one array, its record changed.
fn changed(change: impl FnOnce(&mut ZipFile)) -> Vec<u8> {
    let mut file = ZipFile::stored("x.npy", &npy_of("<f4", "(2,)", &[0; 8]));
    change(&mut file);
    zip(&[file])
}

pub(crate) fn of_npz() -> Vec<Case> {
    let case = |bytes: Vec<u8>, words| case("npz", bytes, words);
    let array = npy_of("<f4", "(2,)", &[0; 8]);
    let good = zip(&[ZipFile::stored("x.npy", &array)]);
    let mut deflated = ZipFile::deflated("x.npy", &array);
    deflated.packed.truncate(20);
    deflated.packed_size = 20;
    let mut longer = ZipFile::deflated("x.npy", &array);
    longer.size = u32::MAX;
    let mut comment = good.clone();
    let end = comment.len();
    comment[end - 2..].copy_from_slice(&[0xff, 0xff]);
    let mut directory = good.clone();
    directory[end - 6..end - 2].copy_from_slice(&u32::MAX.to_le_bytes());
    let twin = ZipFile {
        name: b"y.npy".to_vec(),
        offset: Some(0),
        ..ZipFile::stored("x.npy", &array)
    };
    vec![
        case(Vec::new(), "no directory of a zip archive"),
        case(b"PK\x03\x04".to_vec(), "no directory of a zip archive"),
        case(
            good[..good.len() - 1].to_vec(),
            "no directory of a zip archive",
        ),
        case(
            good[..good.len() / 2].to_vec(),
            "no directory of a zip archive",
        ),
        case(comment, "no directory of a zip archive"),
        case(directory, "npz: "),
        case(
            changed(|file| file.crc ^= 1),
            "entry \"x.npy\" of the archive has checksum",
        ),
        case(changed(|file| file.size += 1), "of the archive claims"),
        case(
            changed(|file| file.packed_size = u32::MAX - 1),
            "claims 4294967294 bytes at 0",
        ),
        case(
            changed(|file| file.offset = Some(u32::MAX - 1)),
            "does not have them",
        ),
        case(
            changed(|file| file.method = 14),
            "compressed with method 14",
        ),
        case(
            changed(|file| file.method = 8),
            "of the archive claims 76 bytes and has",
        ),
        case(changed(|file| file.flags = 1), "is encrypted"),
        case(
            changed(|file| file.name = b"\xff.npy".to_vec()),
            "is not UTF-8",
        ),
        case(
            changed(|file| file.name = b"x.txt".to_vec()),
            "\"x.txt\" of the archive is not an .npy file",
        ),
        case(zip(&[deflated]), "deflate stream is damaged or cut short"),
        case(zip(&[longer]), "claims 4294967295 bytes and has"),
        case(
            zip(&[ZipFile::stored("x.npy", &array), twin]),
            "lie over each other",
        ),
        case(
            zip(&[
                ZipFile::stored("x.npy", &array),
                ZipFile::stored("x.npy", &array),
            ]),
            "two arrays of the name \"x\"",
        ),
        case(
            zip(&[ZipFile::stored("x.npy", b"no array")]),
            "array \"x\": npy: these 8 bytes",
        ),
        case(
            zip(&[ZipFile::stored("x.npy", &fixture("refused_objects.npy"))]),
            "are Python objects, which are pickles",
        ),
    ]
}

pub(crate) fn of_pt() -> Vec<Case> {
    let case = |bytes: Vec<u8>, words| case("pt", bytes, words);
    let tar = [vec![0; 257], b"ustar\x00".to_vec(), vec![0; 100]].concat();
    let state = fixture("state_dict.pt");
    let mut swapped = state.clone();
    let at = swapped
        .windows(6)
        .position(|bytes| bytes == b"little")
        .unwrap();
    swapped[at..at + 6].copy_from_slice(b"middle");
    let script = fixture("refused_script.pt");
    let odd = zip(&[
        ZipFile::stored("a/data.pkl", b"\x80\x02N."),
        ZipFile::stored("a/byteorder", b"middle"),
    ]);
    vec![
        case(Vec::new(), "no directory of a zip archive"),
        case(
            fixture("refused_legacy.pt"),
            "the format from before PyTorch 1.6",
        ),
        case(tar, "the format from before PyTorch 1.6"),
        case(script, "the file is a TorchScript program"),
        case(
            zip(&[ZipFile::stored("a/weights", b"")]),
            "the archive has no data.pkl",
        ),
        case(swapped, "byteorder\" of the archive has checksum"),
        case(odd, "byte order is \"middle\""),
        case(
            state[..state.len() - 4].to_vec(),
            "no directory of a zip archive",
        ),
        case(
            fixture("refused_module.pt"),
            "the pickle names \"__main__.Model\"",
        ),
        case(
            fixture("refused_complex.pt"),
            "\"torch.ComplexFloatStorage\", whose dtype glowgrad lacks",
        ),
        case(fixture("refused_big.pt"), "an integer of 9 bytes"),
        case(fixture("refused_set.pt"), "the pickle names"),
    ]
}

/// A pickle of these parts, ended.
fn pickle(parts: &[&[u8]]) -> Vec<u8> {
    pt_file(&[&b"\x80\x02"[..], &parts.concat(), b"."].concat())
}

/// A file with one tensor of two float32, changed in its storage's claim or its view.
fn view(class: &str, key: &str, numel: u8, view: &[u8]) -> Vec<u8> {
    pickle(&[&tensor(class, key, numel, view)])
}

pub(crate) fn of_pickles() -> Vec<Case> {
    let case = |bytes: Vec<u8>, words| case("pt", bytes, words);
    let float = "torch\nFloatStorage";
    let system = b"cposix\nsystem\nX\x04\x00\x00\x00true\x85R".as_slice();
    let eval = b"cbuiltins\neval\n)R".as_slice();
    let stack_global = [&text("os")[..], &text("system"), b"\x93"].concat();
    let deep = [b"]".repeat(100), b"a".repeat(99)].concat();
    let ints = |n: usize| [b"(".to_vec(), b"K\x01".repeat(n), b"t".to_vec()].concat();
    let sized =
        |sizes: &[u8], strides: &[u8]| view(float, "0", 2, &[b"K\x00", sizes, strides].concat());
    let huge = b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f".as_slice();
    vec![
        case(pt_file(b""), "the pickle is cut short"),
        case(pt_file(b"\x80\x02"), "the pickle is cut short"),
        case(
            pt_file(b"\x80\x02X\xff\xff\xff\xffab."),
            "on 4294967295 more are needed, and 3 are left",
        ),
        case(
            pt_file(b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffab."),
            "18446744073709551615 more are needed",
        ),
        case(pt_file(b"ctorch"), "the pickle is cut short"),
        case(pt_file(b"\x80\x02G\x00"), "the pickle is cut short"),
        case(pickle(&[b""]), "an object of an empty stack"),
        case(pickle(&[b"("]), "an object of an empty stack"),
        case(pickle(&[b"N(\x85"]), "an object of an empty stack"),
        case(pickle(&[b"t"]), "an object of an empty stack"),
        case(
            pickle(&[b"h\x05"]),
            "object 5 of the memo, which is not there",
        ),
        case(
            pickle(&[b"j\xff\xff\xff\xff"]),
            "object 4294967295 of the memo",
        ),
        case(
            pickle(&[b"X\x01\x00\x00\x00\xff"]),
            "a text that is not UTF-8",
        ),
        case(pickle(&[b"NNa"]), "items appended to None"),
        case(pickle(&[b"]NNs"]), "entries set in a list"),
        case(pickle(&[b"}(Nu"]), "a key without a value"),
        case(pickle(&[b"]Nb"]), "attributes for a list"),
        case(pickle(&[system]), "the pickle names \"posix.system\""),
        case(pickle(&[eval]), "the pickle names \"builtins.eval\""),
        case(pickle(&[&stack_global]), "the pickle names \"os.system\""),
        case(
            pickle(&[b"cnumpy._core.multiarray\n_reconstruct\n"]),
            "numpy._core.multiarray._reconstruct",
        ),
        case(
            pickle(&[b"ctorch.storage\n_load_from_bytes\n"]),
            "torch.storage._load_from_bytes",
        ),
        case(
            pickle(&[b"ctorch\nQInt8Storage\n"]),
            "\"torch.QInt8Storage\", whose dtype glowgrad lacks",
        ),
        case(
            pickle(&[b"ctorch._utils\n_rebuild_sparse_tensor\n"]),
            "_rebuild_sparse_tensor",
        ),
        case(pickle(&[b"NK\x01\x85R"]), "a call of None"),
        case(
            pickle(&[b"ccollections\nOrderedDict\nK\x01K\x02\x86R"]),
            "a call with 2 arguments",
        ),
        case(
            pickle(&[b"ccollections\nOrderedDict\n](K\x01K\x02e\x85R"]),
            "an OrderedDict of what are no pairs",
        ),
        case(
            pickle(&[b"ctorch\nFloatStorage\n)R"]),
            "a call with 0 arguments",
        ),
        case(
            pickle(&[b"ctorch._utils\n_rebuild_parameter\n(NNNtR"]),
            "a parameter made of None",
        ),
        case(
            pickle(&[b"ctorch\nfloat32\n"]),
            "the file holds a class or function by itself",
        ),
        case(pickle(&[b"cos.path\njoin\n"]), "\"os.path.join\""),
        case(
            pickle(&[b"i"]),
            "the instruction 'i', which state dicts do not use",
        ),
        case(pickle(&[b"\x81"]), "the instruction 0x81"),
        case(pickle(&[b"P1\n"]), "the instruction 'P'"),
        case(
            pickle(&[b"K\x01Q"]),
            "a persistent id that names no storage",
        ),
        case(
            pickle(&[b"(K\x01K\x02tQ"]),
            "a persistent id that names no storage",
        ),
        case(
            pickle(&[b"]q\x00h\x00a"]),
            "more than 64 deep in one another",
        ),
        case(pickle(&[&deep]), "more than 64 deep in one another"),
        case(
            pickle(&[b"}(K\x01NK\x01Nu"]),
            "a dict has the key \"1\" twice",
        ),
        case(pickle(&[b"}N]s"]), "a key of a dict is None"),
        case(
            pickle(&[b"\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01"]),
            "an integer of 9 bytes",
        ),
        case(
            view(float, "7", 2, b"K\x00K\x02\x85K\x01\x85"),
            "no storage \"7\"",
        ),
        case(
            view(float, "0", 3, b"K\x00K\x02\x85K\x01\x85"),
            "storage \"0\" has 8 bytes, and the pickle claims 3 elements of 4 bytes",
        ),
        case(
            view(float, "0", 2, b"K\x01K\x02\x85K\x01\x85"),
            "lies outside its storage \"0\" of 2 elements",
        ),
        case(
            view("torch\nDoubleStorage", "0", 2, b"K\x00K\x02\x85K\x01\x85"),
            "claims 2 elements of 8 bytes",
        ),
        case(
            view("torch\nfloat32", "0", 2, b"K\x00K\x02\x85K\x01\x85"),
            "a persistent id that names no storage",
        ),
        case(
            view(
                "torch.storage\nUntypedStorage",
                "0",
                8,
                b"K\x00K\x02\x85K\x01\x85",
            ),
            "has no dtype",
        ),
        case(
            view(float, "0", 2, b"NK\x02\x85K\x01\x85"),
            "None as a size, a stride or an offset",
        ),
        case(
            sized(b"K\x03\x85", b"K\x01\x85"),
            "lies outside its storage",
        ),
        case(
            sized(b"K\x02\x85", b"K\x02\x85"),
            "lies outside its storage",
        ),
        case(sized(b"K\x02\x85", b")"), "1 sizes and 0 strides"),
        case(
            sized(b"J\xff\xff\xff\xff\x85", b"K\x01\x85"),
            "-1 as a size",
        ),
        case(
            sized(b"K\x02\x85", b"J\xff\xff\xff\xff\x85"),
            "-1 as a size, a stride",
        ),
        case(
            sized(b"K\x02", b"K\x01\x85"),
            "an integer as sizes or strides",
        ),
        case(
            sized(&[huge, b"\x85"].concat(), b"K\x01\x85"),
            "lies outside its storage",
        ),
        case(
            sized(&[huge, b"\x85"].concat(), b"K\x00\x85"),
            "takes more than the",
        ),
        case(
            sized(b"J\xff\xff\xff\x7f\x85", b"K\x00\x85"),
            "takes more than the",
        ),
        case(
            sized(&ints(65), &ints(65)),
            "65 dimensions, and PyTorch has at most 64",
        ),
    ]
}

#[test]
fn the_file_that_is_changed_above_is_good() {
    let file = view("torch\nFloatStorage", "0", 2, b"K\x00K\x02\x85K\x01\x85");
    let one_two = Array::new(DType::F32, vec![2], vec![0, 0, 128, 63, 0, 0, 0, 64]).unwrap();
    assert_eq!(pt::read(&file).unwrap(), Value::Tensor(one_two));
    assert!(glowgrad_files::npz::read(&changed(|_| ())).is_ok());
}

#[test]
fn what_cannot_be_written_is_refused() {
    let twice = Value::dict([("a", Value::None), ("a", Value::None)]);
    assert!(
        pt::write(&twice)
            .unwrap_err()
            .to_string()
            .contains("the key \"a\" twice")
    );
    let deep = (0..100).fold(Value::None, |value, _| Value::List(vec![value]));
    assert!(
        pt::write(&deep)
            .unwrap_err()
            .to_string()
            .contains("more than 64 deep")
    );
    let bf16 = Array::new(DType::BF16, vec![1], vec![0, 0]).unwrap();
    let sentence = glowgrad_files::npy::write(&bf16).unwrap_err().to_string();
    assert_eq!(
        sentence,
        "npy: NumPy has no bfloat16; convert the tensor to float32"
    );
    let sentence = glowgrad_files::idx::write(&bf16).unwrap_err().to_string();
    assert!(sentence.contains("the format has no bfloat16"));
    let layout = glowgrad_files::image::Layout::Chw;
    let sentence = glowgrad_files::image::write_png(&bf16, layout)
        .unwrap_err()
        .to_string();
    assert!(
        sentence.contains("a picture is uint8 of shape [C, H, W]"),
        "{sentence}"
    );
    let pair = [("a", &bf16), ("a", &bf16)];
    let sentence = glowgrad_files::safetensors::write::<_, String, String>(pair, []);
    assert!(
        sentence
            .unwrap_err()
            .to_string()
            .contains("the name \"a\" is taken already")
    );
}
