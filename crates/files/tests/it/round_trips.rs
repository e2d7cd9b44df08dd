//! What is written is read as it was.

use glowgrad_files::image::Layout;
use glowgrad_files::npz::Compression;
use glowgrad_files::{Array, Kind, idx, image, npy, npz, pt, safetensors};
use glowgrad_tensor::DType;
use proptest::prelude::*;

/// Numbers that have no pattern, of this dtype and shape.
fn array(dtype: DType, shape: &[usize]) -> Array<'static> {
    let size = dtype.size() * shape.iter().product::<usize>();
    let mut state = 12345_u32;
    let bytes = (0..size).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let byte = (state >> 24) as u8;
        if dtype == DType::Bool { byte & 1 } else { byte }
    });
    Array::new(dtype, shape.to_vec(), bytes.collect::<Vec<u8>>()).unwrap()
}

const SHAPES: [&[usize]; 6] = [&[], &[1], &[7], &[2, 3], &[0, 4], &[2, 1, 3, 2]];

fn arrays() -> Vec<(String, Array<'static>)> {
    let mut arrays = Vec::new();
    for dtype in DType::ALL {
        for (index, shape) in SHAPES.iter().enumerate() {
            arrays.push((format!("{}.{index}", dtype.name()), array(dtype, shape)));
        }
    }
    arrays
}

#[test]
fn safetensors_of_all_dtypes_and_shapes() {
    let arrays = arrays();
    let file = safetensors::write(
        arrays.iter().map(|(name, array)| (name, array)),
        [("k", "v")],
    );
    let file = file.unwrap();
    assert_eq!(Kind::of(&file), Some(Kind::SafeTensors));
    let read = safetensors::read(&file).unwrap();
    assert_eq!(read.tensors.len(), arrays.len());
    for (name, array) in &arrays {
        assert_eq!(read.get(name), Some(array));
    }
    let order: Vec<DType> = read
        .tensors
        .iter()
        .map(|(_, array)| array.dtype())
        .collect();
    assert_eq!(order[0], DType::U64);
    assert_eq!(order[order.len() - 1], DType::Bool);
    let empty = safetensors::write::<&str, String, String>([], []).unwrap();
    assert!(safetensors::read(&empty).unwrap().tensors.is_empty());
}

#[test]
fn npy_and_npz_of_all_dtypes_and_shapes() {
    let arrays: Vec<(String, Array<'_>)> = (arrays().into_iter())
        .filter(|(_, array)| array.dtype() != DType::BF16)
        .collect();
    for (name, array) in &arrays {
        let file = npy::write(array).unwrap();
        assert_eq!(Kind::of(&file), Some(Kind::Npy));
        assert_eq!((file.len() - array.bytes().len()) % 64, 0, "{name}");
        assert_eq!(npy::read(&file).as_ref(), Ok(array));
    }
    for compression in [Compression::Stored, Compression::Deflate] {
        let named = arrays.iter().map(|(name, array)| (name, array));
        let file = npz::write(named, compression).unwrap();
        assert_eq!(Kind::of(&file), Some(Kind::Npz));
        assert_eq!(npz::read(&file).unwrap(), arrays);
    }
}

#[test]
fn pt_of_all_dtypes_and_shapes() {
    let tensors = arrays()
        .into_iter()
        .map(|(name, array)| (name, pt::Value::Tensor(array)));
    let value = pt::Value::dict([
        ("tensors", pt::Value::dict(tensors)),
        (
            "numbers",
            pt::Value::List(
                [0, -1, 1 << 31, i64::MIN, i64::MAX]
                    .map(pt::Value::Int)
                    .to_vec(),
            ),
        ),
        (
            "floats",
            pt::Value::Tuple([-0.5, f64::INFINITY].map(pt::Value::Float).to_vec()),
        ),
        ("empty", pt::Value::Dict(Vec::new())),
        ("text", pt::Value::Str("ü\n'".into())),
        ("none", pt::Value::None),
        ("yes", pt::Value::Bool(true)),
    ]);
    let file = pt::write(&value).unwrap();
    assert_eq!(Kind::of(&file), Some(Kind::Pt));
    assert_eq!(pt::read(&file).unwrap(), value);
    let found = pt::read(&file).unwrap();
    assert_eq!(found.tensors().len(), arrays().len());
    assert_eq!(found.tensors()[0].0, "tensors.bool.0");
}

#[test]
fn tied_tensors_of_a_pt_file_stay_tied() {
    let weight = array(DType::F32, &[100, 100]);
    let twice = |array: &Array<'static>| {
        pt::Value::dict([
            ("a", pt::Value::Tensor(array.clone())),
            ("b", pt::Value::Tensor(array.clone())),
        ])
    };
    // Two arrays of their own are two storages; two views of one file's bytes are one.
    let file = pt::write(&twice(&weight)).unwrap();
    assert!(file.len() > 80_000);
    let once = pt::write(&pt::Value::dict([("a", pt::Value::Tensor(weight.clone()))])).unwrap();
    let read = pt::read(&once).unwrap();
    let pt::Value::Tensor(view) = read.get("a").unwrap() else {
        panic!("a tensor");
    };
    let tied = pt::Value::dict([
        ("a", pt::Value::Tensor(view.clone())),
        ("b", pt::Value::Tensor(view.clone())),
    ]);
    let file = pt::write(&tied).unwrap();
    assert!(file.len() < 42_000, "{}", file.len());
    assert_eq!(pt::read(&file).unwrap(), tied);
}

#[test]
fn storages_of_a_pt_file_begin_at_multiples_of_64() {
    let array = array(DType::U8, &[5]);
    let file = pt::write(&pt::Value::List(vec![pt::Value::Tensor(array.clone()); 4])).unwrap();
    let places = file
        .windows(5)
        .enumerate()
        .filter(|(_, bytes)| *bytes == array.bytes());
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    assert_eq!(places.len(), 4);
    assert!(places.iter().all(|at| at % 64 == 0), "{places:?}");
}

#[test]
fn idx_of_its_dtypes() {
    for dtype in [
        DType::U8,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::F32,
        DType::F64,
    ] {
        for shape in [&[3][..], &[2, 3], &[0, 2, 2], &[1, 2, 3, 4]] {
            let array = array(dtype, shape);
            let file = idx::write(&array).unwrap();
            assert_eq!(Kind::of(&file), Some(Kind::Idx));
            assert_eq!(idx::read(&file), Ok(array));
        }
    }
}

#[test]
fn png_of_one_to_four_channels() {
    for channels in 1..=4 {
        let array = array(DType::U8, &[5, 7, channels]);
        let file = image::write_png(&array, Layout::Hwc).unwrap();
        assert_eq!(Kind::of(&file), Some(Kind::Png));
        assert_eq!(image::read(&file, Layout::Hwc), Ok(array));
        let planes = image::read(&file, Layout::Chw).unwrap();
        assert_eq!(planes.shape(), [channels, 5, 7]);
        let again = image::write_png(&planes, Layout::Chw).unwrap();
        assert_eq!(again, file);
    }
}

#[test]
fn a_bool_is_0_or_1() {
    let array = Array::new(DType::Bool, vec![4], vec![0, 1, 2, 255]).unwrap();
    assert_eq!(array.bytes(), [0, 1, 1, 1]);
}

/// Any array of few elements.
fn any_array() -> impl Strategy<Value = Array<'static>> {
    let shape = proptest::collection::vec(0..5_usize, 0..4);
    let dtype = proptest::sample::select(DType::ALL.to_vec());
    (dtype, shape).prop_map(|(dtype, shape)| array(dtype, &shape))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_names_and_arrays_come_back(
        named in proptest::collection::btree_map("\\PC{0,12}", any_array(), 0..6),
    ) {
        let file = safetensors::write::<_, String, String>(named.iter(), []).unwrap();
        let read = safetensors::read(&file).unwrap();
        prop_assert_eq!(read.tensors.len(), named.len());
        for (name, array) in &named {
            prop_assert_eq!(read.get(name), Some(array));
        }
        let value = pt::Value::dict(named.into_iter().map(|(name, array)| (name, pt::Value::Tensor(array))));
        let file = pt::write(&value).unwrap();
        prop_assert_eq!(pt::read(&file).unwrap(), value);
    }
}
