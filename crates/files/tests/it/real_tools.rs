//! Files of PyTorch, NumPy, safetensors and Pillow, which `make_fixtures.py` wrote.

use glowgrad_files::cifar::Classes;
use glowgrad_files::image::Layout;
use glowgrad_files::pt::Value;
use glowgrad_files::{Array, Kind, cifar, idx, image, npy, npz, pt, safetensors};
use glowgrad_tensor::DType;

use crate::fixtures::fixture;

/// A number as an element of this dtype.
fn element(dtype: DType, n: usize) -> Vec<u8> {
    // The half floats of the first six numbers.
    const F16: [u16; 6] = [0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500];
    match dtype {
        DType::Bool => vec![(n % 2) as u8],
        DType::F16 => F16[n].to_le_bytes().to_vec(),
        DType::BF16 => (n as f32).to_le_bytes()[2..].to_vec(),
        DType::F32 => (n as f32).to_le_bytes().to_vec(),
        DType::F64 => (n as f64).to_le_bytes().to_vec(),
        integer => n.to_le_bytes()[..integer.size()].to_vec(),
    }
}

fn of(dtype: DType, shape: &[usize], numbers: impl IntoIterator<Item = usize>) -> Array<'static> {
    let bytes = numbers.into_iter().flat_map(|n| element(dtype, n));
    Array::new(dtype, shape.to_vec(), bytes.collect::<Vec<u8>>()).unwrap()
}

/// 0, 1, 2 … of this shape; bools are odd numbers.
pub(crate) fn count(dtype: DType, shape: &[usize]) -> Array<'static> {
    of(dtype, shape, 0..shape.iter().product())
}

#[test]
fn npy_of_numpy() {
    for (name, dtype, shape) in [
        ("f4", DType::F32, &[2, 3][..]),
        ("f8_big_fortran", DType::F64, &[2, 3, 4]),
        ("i2_big", DType::I16, &[5]),
        ("u4_fortran", DType::U32, &[2, 3]),
        ("i8_version2", DType::I64, &[4]),
        ("u1_version3", DType::U8, &[2, 2]),
        ("empty", DType::F32, &[0, 3]),
    ] {
        let file = fixture(&format!("{name}.npy"));
        assert_eq!(Kind::of(&file), Some(Kind::Npy));
        assert_eq!(npy::read(&file).unwrap(), count(dtype, shape), "{name}");
    }
    assert_eq!(npy::read(&fixture("bool.npy")).unwrap().bytes(), [1, 0, 1]);
    let scalar = Array::new(DType::F16, vec![], vec![0, 0x3e]).unwrap();
    assert_eq!(npy::read(&fixture("f2_scalar.npy")).unwrap(), scalar);
}

#[test]
fn npy_is_written_to_the_byte_as_numpy_does() {
    for name in ["f4", "bool", "f2_scalar", "empty", "palette"] {
        let file = fixture(&format!("{name}.npy"));
        assert_eq!(
            npy::write(&npy::read(&file).unwrap()).unwrap(),
            file,
            "{name}"
        );
    }
}

#[test]
fn npz_of_numpy() {
    let mut wanted = vec![
        ("x".to_owned(), count(DType::F32, &[2, 3])),
        ("y".to_owned(), count(DType::I32, &[3])),
    ];
    assert_eq!(npz::read(&fixture("stored.npz")).unwrap(), wanted);
    let zeros = Array::new(DType::F64, vec![5000], vec![0; 40_000]).unwrap();
    wanted.insert(0, ("zeros".to_owned(), zeros));
    assert_eq!(npz::read(&fixture("deflated.npz")).unwrap(), wanted);
}

#[test]
fn safetensors_of_the_reference_implementation() {
    let file = fixture("all.safetensors");
    assert_eq!(Kind::of(&file), Some(Kind::SafeTensors));
    let read = safetensors::read(&file).unwrap();
    for dtype in DType::ALL {
        let array = read.get(&format!("t.{}", dtype.name()));
        assert_eq!(array, Some(&count(dtype, &[2, 3])), "{dtype}");
    }
    assert_eq!(read.get("another"), Some(&count(DType::F32, &[4])));
    assert_eq!(read.get("empty"), Some(&count(DType::F32, &[0, 3])));
    assert_eq!(read.get("scalar"), Some(&of(DType::F32, &[], [7])));
    assert_eq!(read.tensors.len(), 16);
    let mut metadata = read.metadata.clone();
    metadata.sort();
    let wanted = [("author", "glowgrad"), ("format", "pt"), ("ü", "\n")];
    assert_eq!(
        metadata,
        wanted.map(|(key, text)| (key.to_owned(), text.to_owned()))
    );

    // The same order, names and spaces: the reference's metadata has no order of its own.
    let tensors = || read.tensors.iter().map(|(name, array)| (name, array));
    let written = safetensors::write(tensors(), read.metadata.iter().cloned()).unwrap();
    assert_eq!(written.len(), file.len());
    let tail = file.len() - 1024;
    assert_eq!(written[tail..], file[tail..]);
}

#[test]
fn a_state_dict_of_pytorch() {
    for (name, kind) in [
        ("state_dict.pt", Kind::Pt),
        ("deflated.pt", Kind::Pt),
        ("big_endian.pt", Kind::Pt),
    ] {
        let file = fixture(name);
        assert_eq!(Kind::of(&file), Some(kind));
        let read = pt::read(&file).unwrap();
        let wanted = [
            ("0.weight", DType::F32, &[3, 2][..]),
            ("0.bias", DType::F32, &[3]),
            ("1.weight", DType::F32, &[3]),
            ("1.bias", DType::F32, &[3]),
            ("1.running_mean", DType::F32, &[3]),
            ("1.running_var", DType::F32, &[3]),
            ("1.num_batches_tracked", DType::I64, &[]),
        ];
        let tensors = read.tensors();
        assert_eq!(tensors.len(), wanted.len(), "{name}");
        for ((path, array), (wanted, dtype, shape)) in tensors.iter().zip(wanted) {
            assert_eq!(path, wanted, "{name}");
            assert_eq!(**array, count(dtype, shape), "{name}: {path}");
        }
    }
}

#[test]
fn a_checkpoint_of_pytorch() {
    let file = fixture("checkpoint.pt");
    let read = pt::read(&file).unwrap();
    let tensor = |key: &str| match read.get(key) {
        Some(Value::Tensor(array)) => array.clone(),
        other => panic!("{key}: {other:?}"),
    };
    let model = read.get("model").unwrap();
    assert_eq!(
        model.get("a"),
        Some(&Value::Tensor(count(DType::F32, &[4])))
    );
    assert_eq!(model.get("b"), model.get("a"));
    assert_eq!(
        model.get("row"),
        Some(&Value::Tensor(of(DType::F32, &[2], [1, 2])))
    );
    assert_eq!(read.get("epoch"), Some(&Value::Int(3)));
    assert_eq!(read.get("big"), Some(&Value::Int(-(1 << 40))));
    assert_eq!(read.get("loss"), Some(&Value::Float(0.25)));
    assert_eq!(read.get("done"), Some(&Value::Bool(false)));
    assert_eq!(read.get("name"), Some(&Value::Str("ünder".into())));
    assert_eq!(read.get("nothing"), Some(&Value::None));
    assert_eq!(read.get(5), Some(&Value::Str("five".into())));
    let list = vec![
        Value::Int(1),
        Value::Str("two".into()),
        Value::Tuple(vec![Value::Float(3.0), Value::Bool(true)]),
    ];
    assert_eq!(read.get("list"), Some(&Value::List(list)));
    let size = Value::Tuple(vec![Value::Int(2), Value::Int(3)]);
    assert_eq!(read.get("size"), Some(&size));
    assert_eq!(tensor("parameter"), count(DType::F32, &[2, 2]));
    assert_eq!(
        tensor("transposed"),
        of(DType::F32, &[3, 2], [0, 3, 1, 4, 2, 5])
    );
    assert_eq!(tensor("step"), of(DType::F32, &[4], [0, 3, 6, 9]));
    assert_eq!(tensor("expanded"), of(DType::F32, &[2, 3], [5; 6]));
    assert_eq!(tensor("scalar"), of(DType::F32, &[], [7]));
    assert_eq!(tensor("empty"), count(DType::F32, &[0, 3]));
    assert_eq!(tensor("odd bools").bytes(), [0, 1, 1]);
    for dtype in DType::ALL {
        let array = read
            .get("dtypes")
            .and_then(|dtypes| dtypes.get(dtype.name()));
        assert_eq!(
            array,
            Some(&Value::Tensor(count(dtype, &[2, 3]))),
            "{dtype}"
        );
    }
    let optimizer = read.get("optimizer").unwrap();
    let step = optimizer
        .get("state")
        .and_then(|state| state.get(0)?.get("step"));
    assert_eq!(step, Some(&Value::Tensor(of(DType::F32, &[], [1]))));
    let Some(Value::List(groups)) = optimizer.get("param_groups") else {
        panic!("{optimizer:?}");
    };
    assert_eq!(groups[0].get("lr"), Some(&Value::Float(0.5)));
    // What PyTorch wrote is written, and read again.
    assert_eq!(pt::read(&pt::write(&read).unwrap()).unwrap(), read);
}

#[test]
fn protocol_4_and_no_checksums_of_pytorch() {
    for name in ["protocol4.pt", "no_checksums.pt"] {
        let file = fixture(name);
        let wanted = Value::dict([
            ("w", Value::Tensor(count(DType::F32, &[2, 3]))),
            ("n", Value::Int(70_000)),
        ]);
        assert_eq!(pt::read(&file).unwrap(), wanted, "{name}");
    }
}

#[test]
fn idx_files() {
    for (name, dtype, shape) in [
        ("u1.idx", DType::U8, &[5][..]),
        ("images.idx.gz", DType::U8, &[2, 28, 28]),
        ("i2.idx", DType::I16, &[2, 3]),
        ("i4.idx", DType::I32, &[2, 3]),
        ("f4.idx", DType::F32, &[1, 2, 3]),
        ("f8.idx", DType::F64, &[1, 1, 2, 3]),
    ] {
        let file = fixture(name);
        let gzip = name.ends_with("gz");
        assert_eq!(
            Kind::of(&file),
            Some(if gzip { Kind::Gzip } else { Kind::Idx })
        );
        assert_eq!(idx::read(&file).unwrap(), count(dtype, shape), "{name}");
        if !gzip {
            assert_eq!(idx::write(&count(dtype, shape)).unwrap(), file, "{name}");
        }
    }
}

#[test]
fn cifar_files() {
    let ten = cifar::read(&fixture("cifar10.bin.gz"), Classes::Ten).unwrap();
    assert_eq!(ten.labels, of(DType::I64, &[3], [3, 9, 0]));
    assert_eq!(ten.coarse_labels, None);
    assert_eq!(ten.images.shape(), [3, 3, 32, 32]);
    assert_eq!(ten.images.bytes()[3072 + 17], 1);
    let hundred = cifar::read(&fixture("cifar100.bin.gz"), Classes::Hundred).unwrap();
    assert_eq!(hundred.labels, of(DType::I64, &[2], [99, 1]));
    assert_eq!(hundred.coarse_labels, Some(of(DType::I64, &[2], [19, 0])));
    assert_eq!(hundred.images.bytes()[..3072], ten.images.bytes()[..3072]);
}

/// A picture of 12 lines and 16 columns, whose pixel at (y, x) a function says.
fn picture(pixel: impl Fn(usize, usize) -> Vec<usize>) -> Array<'static> {
    let places = (0..192).map(|place| (place / 16, place % 16));
    let bytes: Vec<u8> = places
        .flat_map(|(y, x)| pixel(y, x))
        .map(|byte| byte as u8)
        .collect();
    Array::new(DType::U8, vec![12, 16, bytes.len() / 192], bytes).unwrap()
}

#[test]
fn png_of_pillow() {
    let rgb = |y: usize, x: usize| vec![x * 16, y * 21, (x + y) * 9];
    for (name, wanted) in [
        ("rgb", picture(rgb)),
        ("alpha", picture(|y, x| [rgb(y, x), vec![x * 16]].concat())),
        ("one_bit", picture(|y, x| vec![if x > y { 255 } else { 0 }])),
        ("sixteen", picture(|_, x| vec![(x * 4096 + 255) >> 8])),
    ] {
        let file = fixture(&format!("{name}.png"));
        assert_eq!(image::read(&file, Layout::Hwc).unwrap(), wanted, "{name}");
    }
    let palette = image::read(&fixture("palette.png"), Layout::Hwc).unwrap();
    assert_eq!(palette, npy::read(&fixture("palette.npy")).unwrap());
    let grey = npy::read(&fixture("grey_png.npy")).unwrap().into_owned();
    let read = image::read(&fixture("grey.png"), Layout::Hwc).unwrap();
    assert_eq!(
        (read.shape(), read.bytes()),
        (&[12, 16, 1][..], grey.bytes())
    );
    let read = image::read(&fixture("grey_alpha.png"), Layout::Chw).unwrap();
    assert_eq!(
        (read.shape(), &read.bytes()[..192]),
        (&[2, 12, 16][..], grey.bytes())
    );
    assert!(read.bytes()[192..].iter().all(|&alpha| alpha == 255));
}

#[test]
fn jpeg_of_pillow() {
    for (name, channels, tolerance) in [
        ("rgb", 3, 3),
        ("halved", 3, 12),
        ("progressive", 3, 12),
        ("grey", 1, 1),
    ] {
        let file = fixture(&format!("{name}.jpg"));
        assert_eq!(Kind::of(&file), Some(Kind::Jpeg));
        let read = image::read(&file, Layout::Hwc).unwrap();
        assert_eq!(read.shape(), [12, 16, channels], "{name}");
        let wanted = fixture(&format!("{name}_jpg.npy"));
        let wanted = npy::read(&wanted).unwrap();
        let pairs = read.bytes().iter().zip(wanted.bytes());
        let off = pairs.map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(off <= tolerance, "{name}: {off} away from libjpeg");
    }
    let cmyk = image::read(&fixture("cmyk.jpg"), Layout::Chw).unwrap();
    assert_eq!(cmyk.shape(), [3, 12, 16]);
}

#[test]
fn kinds_of_files_that_are_not_read() {
    assert_eq!(
        Kind::of(&fixture("refused_legacy.pt")),
        Some(Kind::LegacyPt)
    );
    assert_eq!(Kind::of(&fixture("refused_script.pt")), Some(Kind::Pt));
    assert_eq!(Kind::of(b"PK\x05\x06"), Some(Kind::Zip));
    for bytes in [&b""[..], b"PK", b"1,2\n", &[0; 300]] {
        assert_eq!(Kind::of(bytes), None);
    }
}
