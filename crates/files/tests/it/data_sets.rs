//! MNIST and CIFAR-10, where `GLOW_DATA` names the folder that has them.

use glowgrad_files::cifar::Classes;
use glowgrad_files::{cifar, idx};
use glowgrad_tensor::DType;

/// A file below the folder; none, with a line that says so, where the variable is not set.
fn data(path: &str) -> Option<Vec<u8>> {
    let Some(folder) = std::env::var_os("GLOW_DATA") else {
        println!("skipped: GLOW_DATA is not set, so {path} is not read");
        return None;
    };
    let path = std::path::Path::new(&folder).join(path);
    Some(std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

#[test]
fn mnist() {
    for (part, n) in [("t10k", 10_000), ("train", 60_000)] {
        let Some(images) = data(&format!("mnist/{part}-images-idx3-ubyte.gz")) else {
            return;
        };
        let Some(labels) = data(&format!("mnist/{part}-labels-idx1-ubyte.gz")) else {
            return;
        };
        let images = idx::read(&images).unwrap();
        assert_eq!(
            (images.dtype(), images.shape()),
            (DType::U8, &[n, 28, 28][..])
        );
        let labels = idx::read(&labels).unwrap();
        assert_eq!(labels.shape(), [n]);
        assert!(labels.bytes().iter().all(|&label| label < 10));
        let first = if part == "train" {
            [5, 0, 4]
        } else {
            [7, 2, 1]
        };
        assert_eq!(labels.bytes()[..3], first);
    }
}

#[test]
fn cifar_10() {
    let Some(file) = data("cifar10/test_batch.bin.gz") else {
        return;
    };
    let read = cifar::read(&file, Classes::Ten).unwrap();
    assert_eq!(read.images.shape(), [2000, 3, 32, 32]);
    let mut counts = [0; 10];
    for label in read.labels.bytes().as_chunks::<8>().0 {
        counts[usize::from(label[0])] += 1;
    }
    assert_eq!(counts, [200; 10]);
}
