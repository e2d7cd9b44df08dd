//! Files that are small and mean much: the limit stops each of them, and memory stays near it.

use glowgrad_files::{Limit, npz, pt};

use crate::fixtures::{ZipFile, fixture, gzip, npy_of, pt_file, reader, tensor, text, zip};
use crate::memory::peak;
use crate::refusals::reframed;

const LIMIT: usize = 1 << 20;

/// What a reader may hold of the limit: a vector that doubles, and the bytes it copies; of JPEG the coefficients.
const TIMES: usize = 4;
const TIMES_OF_JPEG: usize = 8;

/// Tables of the decoders.
const TABLES: usize = 512 << 10;

fn stopped(name: &str, bytes: &[u8]) {
    let read = reader(name);
    let (result, held) = peak(|| read(bytes, Limit::new(LIMIT)));
    let sentence = result.unwrap_err().to_string();
    assert!(
        sentence.contains("the limit allows") || sentence.contains("that the limit"),
        "{sentence}"
    );
    assert!(sentence.contains("1048576"), "{sentence}");
    let most = TIMES * LIMIT + 64 * bytes.len() + TABLES;
    assert!(
        held <= most,
        "{held} bytes held for {} of {name}",
        bytes.len()
    );
}

#[test]
fn gzip_stops_at_the_limit() {
    let bomb = gzip(&vec![0; 30 << 20]);
    assert!(bomb.len() < 40_000);
    stopped("idx", &bomb);
    stopped("cifar", &bomb);
    // Members that are small together are many.
    stopped("idx", &gzip(&vec![0; 100_000]).repeat(20));
}

#[test]
fn archives_stop_at_the_limit() {
    let zeros = vec![0; 30 << 20];
    stopped("npz", &zip(&[ZipFile::deflated("x.npy", &zeros)]));
    stopped("pt", &zip(&[ZipFile::deflated("a/data.pkl", &zeros)]));
    // Each entry is below the limit, and all are not.
    let array = npy_of("|u1", "(200000,)", &vec![0; 200_000]);
    let files: Vec<ZipFile> = (0..20)
        .map(|index| ZipFile::deflated(&format!("{index}.npy"), &array))
        .collect();
    stopped("npz", &zip(&files));
    assert!(npz::read(&zip(&files)).is_ok());
}

#[test]
fn a_tensor_that_repeats_a_number_stops_at_the_limit() {
    let view = b"K\x00J\x00\x00\x10\x00\x85K\x00\x85";
    let file = pt_file(&[&tensor("torch\nFloatStorage", "0", 2, view)[..], b"."].concat());
    stopped("pt", &file);
    let read = pt::read(&file).unwrap();
    assert_eq!(read.tensors()[0].1.shape(), [1 << 20]);
}

#[test]
fn an_object_of_many_names_stops_at_the_limit() {
    // [x, x] of [x, x] of …: 2**30 texts.
    let mut lists = text("x");
    lists.extend_from_slice(b"q\x00");
    for _ in 0..30 {
        lists.extend_from_slice(b"](h\x00h\x00eq\x00");
    }
    lists.push(b'.');
    stopped("pt", &pt_file(&lists));
    // One text of 10,000 bytes, a thousand times.
    let mut texts = text(&"x".repeat(10_000));
    texts.extend_from_slice(b"q\x00](");
    texts.extend_from_slice(&b"h\x00".repeat(1000));
    texts.extend_from_slice(b"e.");
    stopped("pt", &pt_file(&texts));
    // A tensor of 64 dimensions, and one whose storage is deflated, named again and again.
    let ones = [&b"("[..], &b"K\x01".repeat(64), b"t"].concat();
    let view = [&b"K\x00"[..], &ones, &ones].concat();
    let mut tensors = tensor("torch\nFloatStorage", "0", 2, &view);
    tensors.extend_from_slice(b"q\x00](");
    tensors.extend_from_slice(&b"h\x00".repeat(4000));
    tensors.extend_from_slice(b"e.");
    stopped("pt", &pt_file(&tensors));
    let view = b"K\x00M\x10\x27\x85K\x01\x85";
    let mut tensors = tensor("torch\nByteStorage", "0", 200, view);
    tensors.extend_from_slice(b"q\x00](");
    tensors.extend_from_slice(&b"h\x00".repeat(1000));
    tensors.extend_from_slice(b"e.");
    let numel = tensors
        .windows(2)
        .position(|pair| pair == [b'K', 200])
        .unwrap();
    tensors.splice(numel..numel + 2, *b"M\x10\x27");
    stopped(
        "pt",
        &zip(&[
            ZipFile::stored("a/data.pkl", &tensors),
            ZipFile::deflated("a/data/0", &vec![7; 10_000]),
        ]),
    );
    // The same bytes, stored, are bytes of the file, however often a tensor shows them.
    let stored = zip(&[
        ZipFile::stored("a/data.pkl", &tensors),
        ZipFile::stored("a/data/0", &vec![1; 10_000]),
    ]);
    let (read, held) = peak(|| pt::read_within(&stored, Limit::new(LIMIT)).map(drop));
    assert_eq!(read, Ok(()));
    assert!(held < LIMIT, "{held}");
}

#[test]
fn instructions_count() {
    for ops in [
        &b"N"[..],
        b"]",
        b"}",
        b")",
        b"(",
        b"Nq\x00",
        b"](",
        b"K\x01",
    ] {
        let pickle = [&b"("[..], &ops.repeat(100_000), b"."].concat();
        stopped("pt", &pt_file(&pickle));
    }
}

#[test]
fn pixels_stop_at_the_limit() {
    let pixels = vec![0; 3 * 700 * 700];
    let white = glowgrad_files::Array::new(glowgrad_tensor::DType::U8, vec![700, 700, 3], pixels);
    let layout = glowgrad_files::image::Layout::Hwc;
    let file = glowgrad_files::image::write_png(&white.unwrap(), layout).unwrap();
    assert!(file.len() < 20_000);
    stopped("image", &file);
    // A decoder of JPEG allocates whole blocks, of which one line of pixels needs many.
    stopped(
        "image",
        &reframed("large_progressive.jpg", 0xc2, [1, u16::MAX]),
    );
}

/// Reads a good file with a limit that just holds its pixels.
fn held_of(bytes: &[u8], pixels: usize, times: usize) {
    let read = reader("image");
    let (result, held) = peak(|| read(bytes, Limit::new(pixels)));
    assert_eq!(result, Ok(()));
    let most = times * pixels + 4 * bytes.len() + TABLES;
    println!("{held} bytes held for {pixels} of pixels");
    assert!(held <= most, "{held} bytes held for {pixels} of pixels");
}

#[test]
fn pictures_take_a_few_times_their_pixels() {
    let pixels = 640 * 480 * 3;
    for name in ["large_halved.jpg", "large_progressive.jpg"] {
        held_of(&fixture(name), pixels, TIMES_OF_JPEG);
    }
    held_of(&fixture("large.png"), pixels, TIMES);
}

#[test]
fn what_is_not_compressed_takes_little_beside_the_file() {
    // The most objects that a file of these formats can have for its bytes.
    let header = |entry: &str, n: usize| {
        let entries: Vec<String> = (0..n)
            .map(|index| entry.replace('#', &index.to_string()))
            .collect();
        let header = format!("{{{}}}", entries.join(","));
        crate::fixtures::with_header(&header, &[])
    };
    let sizes = vec!["0"; 50_000].join(",");
    let files = [
        (
            "safetensors",
            header(
                "\"#\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
                5000,
            ),
            24,
        ),
        (
            "safetensors",
            header(
                &format!("\"#\":{{\"dtype\":\"U8\",\"shape\":[{sizes}],\"data_offsets\":[0,0]}}"),
                1,
            ),
            24,
        ),
        ("csv", ",".repeat(100_000).into_bytes(), 64),
        (
            "csv",
            [b"a\n".to_vec(), b"1\n".repeat(100_000)].concat(),
            64,
        ),
    ];
    for (name, bytes, times) in files {
        let read = reader(name);
        let (_, held) = peak(|| drop(read(&bytes, Limit::of(&bytes))));
        println!(
            "{name}: {} bytes held for each of {}",
            held / bytes.len(),
            bytes.len()
        );
        assert!(
            held <= times * bytes.len(),
            "{name}: {held} held for {}",
            bytes.len()
        );
    }
}

#[test]
fn big_files_are_read_without_a_copy() {
    let numbers = vec![1; 4 << 20];
    let array = glowgrad_files::Array::new(glowgrad_tensor::DType::U8, vec![4 << 20], &numbers[..])
        .unwrap();
    let files = [
        (
            "safetensors",
            glowgrad_files::safetensors::write::<_, String, String>([("x", &array)], []).unwrap(),
        ),
        ("npy", glowgrad_files::npy::write(&array).unwrap()),
        (
            "npz",
            npz::write([("x", &array)], npz::Compression::Stored).unwrap(),
        ),
        (
            "pt",
            pt::write(&pt::Value::dict([("x", pt::Value::Tensor(array.clone()))])).unwrap(),
        ),
        ("idx", glowgrad_files::idx::write(&array).unwrap()),
    ];
    for (name, bytes) in files {
        let read = reader(name);
        let (result, held) = peak(|| read(&bytes, Limit::of(&bytes)));
        assert_eq!(result, Ok(()));
        assert!(held < 8192, "{name}: {held} bytes held");
    }
}
