//! What this crate writes, to the byte, as files that `make_fixtures.py check` loads with the real tools.
//!
//! `GLOW_BLESS=1` writes them anew; then the check is to be run again.

use glowgrad_files::image::Layout;
use glowgrad_files::npz::Compression;
use glowgrad_files::pt::{Key, Value};
use glowgrad_files::{Array, image, npz, pt, safetensors};
use glowgrad_tensor::DType;

use crate::fixtures::fixture;
use crate::real_tools::count;

fn hold(name: &str, bytes: &[u8]) {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("GLOW_BLESS").is_some() {
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(
        fixture(name) == bytes,
        "{name} is written otherwise than before: GLOW_BLESS=1 writes the file, and make_fixtures.py check must load it"
    );
}

#[test]
fn files_are_those_that_the_real_tools_have_loaded() {
    let arrays: Vec<(&str, Array<'_>)> = DType::ALL
        .iter()
        .map(|&dtype| (dtype.name(), count(dtype, &[2, 3])))
        .collect();
    let named = || arrays.iter().map(|(name, array)| (*name, array));
    hold(
        "written.safetensors",
        &safetensors::write(named(), [("format", "pt")]).unwrap(),
    );

    let of_numpy = || named().filter(|(_, array)| array.dtype() != DType::BF16);
    hold(
        "written.npz",
        &npz::write(of_numpy(), Compression::Stored).unwrap(),
    );
    hold(
        "written_deflated.npz",
        &npz::write(of_numpy(), Compression::Deflate).unwrap(),
    );

    let tied = count(DType::F32, &[4]);
    let view = || Value::Tensor(Array::new(DType::F32, vec![4], tied.bytes()).unwrap());
    let tensors = named().map(|(name, array)| (name, Value::Tensor(array.clone())));
    let seven = Array::new(DType::F32, vec![], 7_f32.to_le_bytes().to_vec()).unwrap();
    let value = Value::Dict(vec![
        ("model".into(), Value::dict([("a", view()), ("b", view())])),
        ("epoch".into(), Value::Int(3)),
        ("big".into(), Value::Int(-(1 << 40))),
        ("loss".into(), Value::Float(0.25)),
        ("done".into(), Value::Bool(false)),
        ("nothing".into(), Value::None),
        ("name".into(), Value::Str("ünder".into())),
        (
            "list".into(),
            Value::List(vec![
                Value::Int(1),
                Value::Str("two".into()),
                Value::Tuple(vec![Value::Float(3.0), Value::Bool(true)]),
            ]),
        ),
        (Key::Int(5), Value::Str("five".into())),
        ("dtypes".into(), Value::dict(tensors)),
        ("scalar".into(), Value::Tensor(seven)),
        ("empty".into(), Value::Tensor(count(DType::F32, &[0, 3]))),
    ]);
    let file = pt::write(&value).unwrap();
    assert_eq!(pt::read(&file).unwrap(), value);
    hold("written.pt", &file);

    let pixels = (0..12_u32).flat_map(|y| (0..16).flat_map(move |x| [x * 16, y * 21, (x + y) * 9]));
    let pixels: Vec<u8> = pixels.map(|byte| byte as u8).collect();
    let picture = Array::new(DType::U8, vec![12, 16, 3], pixels).unwrap();
    hold(
        "written.png",
        &image::write_png(&picture, Layout::Hwc).unwrap(),
    );
}
