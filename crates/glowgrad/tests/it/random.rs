//! Random tensors: the engine's generator behind shapes and dtypes.
//!
//! Left to others: the numbers themselves (`crates/tensor/tests/it/random_golden.rs`).
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::random::{Draw, Generator};
use glowgrad::{DType, Engine, Tensor};

fn weights(engine: &Engine, shape: &[usize]) -> Tensor {
    let n = shape.iter().product();
    Tensor::from_f32(engine, &vec![1.0; n], shape).expect("weights")
}

#[test]
fn a_drawn_tensor_has_its_shape_dtype_and_numbers() {
    let engine = glowgrad::cpu();
    let mut generator = Generator::new(0);
    let draw = Draw::Uniform { from: 0.0, to: 1.0 };
    let x = Tensor::draw(&engine, &mut generator, draw, &[1, 3], DType::F32).expect("rand");
    assert_eq!((&x.shape()[..], x.dtype()), (&[1, 3][..], DType::F32));
    let expected = [0.496_256_6_f32, 0.768_221_8, 0.088_477_43].map(f64::from);
    assert_eq!(x.to_f64().expect("numbers"), expected);
    for dtype in DType::ALL {
        let draw = Draw::Integers {
            low: 0,
            high: Some(2),
        };
        let x = Tensor::draw(&engine, &mut generator, draw, &[4, 5], dtype).expect("randint");
        assert_eq!(x.dtype(), dtype);
        let coins = x.to_f64().expect("numbers");
        assert_eq!(coins.len(), 20);
        assert!(coins.iter().all(|&x| x == 0.0 || x == 1.0), "{dtype}");
    }
    let before = generator.clone();
    let huge = [1 << 30, 1 << 30];
    let error = Tensor::draw(&engine, &mut generator, draw, &huge, DType::F32);
    assert!(error.expect_err("too large").message.contains("bytes"));
    assert_eq!(generator, before);
}

#[test]
fn coins_and_indices_take_the_shape_of_their_odds() {
    let engine = glowgrad::cpu();
    let mut generator = Generator::new(0);
    let coins = weights(&engine, &[2, 3])
        .draw_bernoulli(&mut generator, DType::BF16)
        .expect("bernoulli");
    assert_eq!(
        (&coins.shape()[..], coins.dtype()),
        (&[2, 3][..], DType::BF16)
    );
    assert_eq!(coins.to_f64().expect("numbers"), [1.0; 6]);
    for (odds, expected) in [(&[4][..], &[3][..]), (&[2, 4], &[2, 3]), (&[0, 4], &[0, 3])] {
        let x = weights(&engine, odds);
        let drawn = x
            .draw_multinomial(&mut generator, 3, false)
            .expect("indices");
        assert_eq!((&drawn.shape()[..], drawn.dtype()), (expected, DType::I64));
        for row in drawn.to_f64().expect("numbers").chunks(3) {
            let mut row = row.to_vec();
            row.sort_by(f64::total_cmp);
            row.dedup();
            assert_eq!(row.len(), 3, "an index came twice");
            assert!(row.iter().all(|i| (0.0..4.0).contains(i)));
        }
    }
    for shape in [&[][..], &[2, 2, 2]] {
        let error = weights(&engine, shape).draw_multinomial(&mut generator, 1, false);
        let error = error.expect_err("neither a row nor rows");
        assert!(error.message.contains("must be 1 or 2 dim"), "{error}");
    }
}
