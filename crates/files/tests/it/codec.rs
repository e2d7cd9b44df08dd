//! Requests of text and bytes are answered as the formats' own functions answer.

use glowgrad_files::{Array, codec, safetensors};
use glowgrad_tensor::DType;

fn answered(request: &str, bytes: &[u8]) -> codec::Answer {
    codec::answer(request, bytes).unwrap()
}

fn refused(request: &str, bytes: &[u8]) -> String {
    codec::answer(request, bytes).unwrap_err().to_string()
}

const TWO: &str = "array\tb\tfloat32\t1\narray\ta\tuint8\t2\n";

#[test]
fn arrays_come_back_from_each_format_that_holds_them() {
    let bytes = [0, 0, 128, 63, 7, 9];
    for (write, read) in [
        ("safetensors", "safetensors"),
        ("npz", "npz"),
        ("npz-deflated", "npz"),
    ] {
        let file = answered(&format!("encode\t{write}\n{TWO}"), &bytes);
        let read = answered(&format!("decode\t{read}"), &file.bytes);
        assert_eq!((read.text.as_str(), &read.bytes[..]), (TWO, &bytes[..]));
    }
    for format in ["npy", "idx"] {
        let array = "array\t\tuint8\t2\t3\n";
        let file = answered(&format!("encode\t{format}\n{array}"), &bytes);
        let read = answered(&format!("decode\t{format}"), &file.bytes);
        assert_eq!((read.text.as_str(), &read.bytes[..]), (array, &bytes[..]));
    }
}

#[test]
fn texts_with_any_characters_and_pictures_come_through() {
    let text = "metadata\ta\\tb\\\\\t{\\n\\r\"é\"}\n";
    let file = answered(&format!("encode\tsafetensors\n{text}"), &[]);
    assert_eq!(answered("decode\tsafetensors", &file.bytes).text, text);
    let read = safetensors::read(&file.bytes).unwrap();
    assert_eq!(
        read.metadata,
        [("a\tb\\".to_owned(), "{\n\r\"é\"}".to_owned())]
    );

    let pixels = [1, 2, 3, 4, 5, 6];
    let picture = answered("encode\tpng\narray\t\tuint8\t3\t1\t2", &pixels);
    assert_eq!(answered("decode\timage", &picture.bytes).bytes, pixels);
}

#[test]
fn a_table_has_numbers_and_labels() {
    let read = answered(
        "decode\tcsv\noption\theader\t1\noption\tdelimiter\t,",
        b"length,kind\n1.5,oak\n2,ash\n",
    );
    assert_eq!(
        read.text,
        "array\tlength\tfloat64\t2\narray\tkind\tint64\t2\nlabel\tkind\tash\nlabel\tkind\toak\n"
    );
    assert_eq!(read.bytes[..8], 1.5f64.to_le_bytes());
    assert_eq!(read.bytes[16..24], 1i64.to_le_bytes());
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let array = Array::new(DType::U8, vec![1], vec![1]).unwrap();
    let file = safetensors::write([("x", &array)], [("", ""); 0]).unwrap();
    let cut = &file[..file.len() - 1];
    assert!(refused("decode\tsafetensors", cut).starts_with("safetensors: "));
    for (request, n, why) in [
        ("", 0, "the request cannot be read"),
        ("decode", 0, "the request cannot be read"),
        ("decode\ttiff", 0, "no format \"tiff\" is read"),
        ("encode\ttiff", 0, "no format \"tiff\" is written"),
        ("encode\tnpy\nhow", 0, "says nothing"),
        ("encode\tnpy\narray\tx\tf4", 0, "no dtype \"f4\""),
        ("encode\tnpy\narray\tx\tuint8\t-1", 0, "has the sizes"),
        (
            "encode\tnpy\narray\tx\tuint8\t9999999999\t9999999999",
            0,
            "takes",
        ),
        ("decode\tcifar", 0, "lacks the option classes"),
        ("decode\tcifar\noption\tclasses\t11", 0, "not of 11"),
        (
            "decode\tcsv\noption\tdelimiter\t;;\noption\theader\t0",
            0,
            "one ASCII character",
        ),
    ] {
        let said = refused(request, &vec![0; n]);
        assert!(said.contains(why), "{request:?}: {said}");
    }
    let encode = |n: usize| refused(&format!("encode\tnpy\n{TWO}"), &vec![0; n]);
    assert!(encode(6).contains("has one array, and 2 came"));
    assert!(encode(5).contains("\"a\" takes 2"));
    assert!(encode(7).contains("1 bytes are left"));
}
