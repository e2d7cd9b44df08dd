//! Requests of text and bytes are answered as the formats' own functions answer.

use glowgrad_files::{Array, codec, safetensors};
use glowgrad_tensor::DType;

fn decoded(format: &str, bytes: &[u8]) -> codec::Answer {
    codec::answer(&format!(r#"{{"decode": {{"format": {format}}}}}"#), bytes).unwrap()
}

fn refused(request: &str, bytes: &[u8]) -> String {
    codec::answer(request, bytes).unwrap_err().to_string()
}

const TWO: &str = r#"[{"name": "b", "dtype": "float32", "shape": [1]}, {"name": "a", "dtype": "uint8", "shape": [2]}]"#;

#[test]
fn arrays_come_back_from_each_format_that_holds_them() {
    let bytes = [0, 0, 128, 63, 7, 9];
    for (write, read) in [
        ("safetensors", "safetensors"),
        ("npz", "npz"),
        ("npz-deflated", "npz"),
    ] {
        let request = format!(r#"{{"encode": {{"format": "{write}", "arrays": {TWO}}}}}"#);
        let file = codec::answer(&request, &bytes).unwrap();
        let read = decoded(&format!("\"{read}\""), &file.bytes);
        assert_eq!(read.bytes, bytes, "{write}");
        assert_eq!(
            read.text,
            r#"{"arrays":[{"name":"b","dtype":"float32","shape":[1]},{"name":"a","dtype":"uint8","shape":[2]}]}"#
        );
    }
    for format in ["npy", "idx"] {
        let request = format!(
            r#"{{"encode": {{"format": "{format}", "arrays": [{{"dtype": "uint8", "shape": [2, 3]}}]}}}}"#
        );
        let file = codec::answer(&request, &bytes).unwrap();
        let read = decoded(&format!("\"{format}\""), &file.bytes);
        assert_eq!(read.bytes, bytes);
        assert_eq!(
            read.text,
            r#"{"arrays":[{"name":"","dtype":"uint8","shape":[2,3]}]}"#
        );
    }
}

#[test]
fn metadata_and_pictures_come_through() {
    let request =
        r#"{"encode": {"format": "safetensors", "arrays": [], "metadata": {"step": "7"}}}"#;
    let file = codec::answer(request, &[]).unwrap();
    assert_eq!(
        decoded("\"safetensors\"", &file.bytes).text,
        r#"{"arrays":[],"metadata":{"step":"7"}}"#
    );

    let request =
        r#"{"encode": {"format": "png", "arrays": [{"dtype": "uint8", "shape": [3, 1, 2]}]}}"#;
    let picture = codec::answer(request, &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(
        decoded("\"image\"", &picture.bytes).bytes,
        [1, 2, 3, 4, 5, 6]
    );
}

#[test]
fn a_table_has_numbers_and_labels() {
    let read = decoded(
        r#""csv", "header": true, "delimiter": ",""#,
        b"length,kind\n1.5,oak\n2,ash\n",
    );
    assert_eq!(
        read.text,
        r#"{"arrays":[{"name":"length","dtype":"float64","shape":[2]},{"name":"kind","dtype":"int64","shape":[2]}],"labels":{"kind":["ash","oak"]}}"#
    );
    assert_eq!(read.bytes[..8], 1.5f64.to_le_bytes());
    assert_eq!(read.bytes[16..24], 1i64.to_le_bytes());
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let array = Array::new(DType::U8, vec![1], vec![1]).unwrap();
    let file = safetensors::write([("x", &array)], [("", ""); 0]).unwrap();
    let cut = &file[..file.len() - 1];
    let decode = r#"{"decode": {"format": "safetensors"}}"#;
    assert!(refused(decode, cut).starts_with("safetensors: "));
    assert!(refused("{}", &[]).starts_with("the request cannot be read"));
    assert!(refused(r#"{"decode": {"format": "tiff"}}"#, &[]).contains("tiff"));
    let encode = |arrays: &str, bytes: &[u8]| {
        refused(
            &format!(r#"{{"encode": {{"format": "npy", "arrays": {arrays}}}}}"#),
            bytes,
        )
    };
    assert!(encode(TWO, &[0; 6]).contains("has one array, and 2 came"));
    assert!(encode(TWO, &[0; 5]).contains("\"a\" takes 2"));
    assert!(encode(TWO, &[0; 7]).contains("1 bytes are left"));
    assert!(encode(r#"[{"dtype": "f4", "shape": []}]"#, &[]).contains("no dtype \"f4\""));
    let huge = r#"[{"dtype": "float64", "shape": [4294967295, 4294967295, 4294967295]}]"#;
    assert!(encode(huge, &[]).contains("takes"));
    let cifar = r#"{"decode": {"format": "cifar", "classes": 11}}"#;
    assert!(refused(cifar, &[]).contains("not of 11"));
}
