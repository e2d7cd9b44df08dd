//! Draws that the golden file does not make. Calls that are refused are in `random_refused`.
//!
//! The numbers were drawn by PyTorch 2.15 in this order on one generator: a draw too many in one
//! line fails the next. Long because: they are a table.

use glowgrad_tensor::DType::{self, *};
use glowgrad_tensor::random::{Draw, Generator};

fn decode(bytes: &[u8], dtype: DType) -> Vec<f64> {
    bytes
        .chunks_exact(dtype.size())
        .map(|b| {
            let mut wide = [0; 8];
            wide[..b.len()].copy_from_slice(b);
            let bits = u64::from_le_bytes(wide);
            let unused = 64 - 8 * dtype.size() as u32;
            match dtype {
                F16 => half::f16::from_bits(bits as u16).to_f64(),
                BF16 => half::bf16::from_bits(bits as u16).to_f64(),
                F32 => f64::from(f32::from_bits(bits as u32)),
                F64 => f64::from_bits(bits),
                _ if dtype.is_signed() => ((bits << unused) as i64 >> unused) as f64,
                _ => bits as f64,
            }
        })
        .collect()
}

#[test]
fn every_dtype_draws_what_pytorch_draws() {
    let lines: &[(Draw, DType, &[f64])] = &[
        (
            Draw::LogNormal {
                mean: 1.0,
                std: 0.5,
            },
            F32,
            &[5.873778, 2.3473465, 0.91448456],
        ),
        (
            Draw::Cauchy {
                median: 1.0,
                sigma: 2.0,
            },
            F32,
            &[1.9799778, 3.597674, -2.1822107],
        ),
        (Draw::Geometric { p: 0.3 }, F32, &[3.0, 2.0, 4.0]),
        (
            Draw::AnyInteger,
            F32,
            &[1.1435292e+07, 1.53542e+07, 6.662096e+06],
        ),
        (
            Draw::Exponential { lambd: 2.0 },
            F32,
            &[2.4989066, 0.27517912, 0.17076552],
        ),
        (
            Draw::Integers { low: 7, high: None },
            F32,
            &[6.265427e+06, 5.118868e+06, 1.5637369e+07],
        ),
        (
            Draw::Integers {
                low: -4097,
                high: Some(4099),
            },
            F32,
            &[-3354.0, -857.0, 374.0],
        ),
        (
            Draw::Uniform {
                from: 0.9,
                to: 0.90625,
            },
            F32,
            &[0.9001982, 0.9013008, 0.90581125, 0.90451944, 0.9046396],
        ),
        (
            Draw::TruncatedNormal {
                mean: 0.0,
                std: 1.0,
                a: 2.0,
                b: 3.0,
            },
            F32,
            &[2.5262957, 2.8369088, 2.698441, 2.0331526, 2.138717],
        ),
        (
            Draw::TruncatedNormal {
                mean: 1.0,
                std: 0.5,
                a: 2.0,
                b: 2.5,
            },
            F32,
            &[2.128018, 2.0450945, 2.097865],
        ),
        (
            Draw::LogNormal {
                mean: 1.0,
                std: 0.5,
            },
            F64,
            &[3.6118338629660935, 3.185771334297598, 2.262147946246217],
        ),
        (
            Draw::Cauchy {
                median: 1.0,
                sigma: 2.0,
            },
            F64,
            &[3.9335036737840117, 3.56148030080439, 3.7105336989317856],
        ),
        (Draw::Geometric { p: 0.3 }, F64, &[3.0, 1.0, 13.0]),
        (
            Draw::AnyInteger,
            F64,
            &[2311175338719034.0, 1699239298478056.0, 1464250384288905.0],
        ),
        (
            Draw::Exponential { lambd: 2.0 },
            F64,
            &[0.34172555394703913, 0.0838302933072178, 0.13038333994312695],
        ),
        (
            Draw::Integers { low: 7, high: None },
            F64,
            &[3698361627676357.0, 3369432839727836.0, 1647423033202929.0],
        ),
        (
            Draw::Integers {
                low: -4097,
                high: Some(4099),
            },
            F64,
            &[-1138.0, 287.0, 976.0],
        ),
        (
            Draw::Uniform {
                from: 0.9,
                to: 0.90625,
            },
            F64,
            &[
                0.902302701840544,
                0.9028038444934503,
                0.9033174353121117,
                0.9013398317375666,
                0.9047976205306321,
            ],
        ),
        (
            Draw::TruncatedNormal {
                mean: 0.0,
                std: 1.0,
                a: 2.0,
                b: 3.0,
            },
            F64,
            &[
                2.578492293361649,
                2.1165781649579345,
                2.131631681437586,
                2.158778328612371,
                2.407650659802312,
            ],
        ),
        (
            Draw::TruncatedNormal {
                mean: 1.0,
                std: 0.5,
                a: 2.0,
                b: 2.5,
            },
            F64,
            &[2.149912221138167, 2.035043748730199, 2.3320806737619226],
        ),
        (
            Draw::LogNormal {
                mean: 1.0,
                std: 0.5,
            },
            F16,
            &[3.859375, 1.8193359375, 2.16015625],
        ),
        (
            Draw::Cauchy {
                median: 1.0,
                sigma: 2.0,
            },
            F16,
            &[-0.373291015625, -1.9765625, -0.282470703125],
        ),
        (Draw::Geometric { p: 0.3 }, F16, &[5.0, 1.0, 3.0]),
        (Draw::AnyInteger, F16, &[1222.0, 1455.0, 1050.0]),
        (
            Draw::Exponential { lambd: 2.0 },
            F16,
            &[0.7265625, 0.5087890625, 0.036346435546875],
        ),
        (
            Draw::Integers { low: 7, high: None },
            F16,
            &[1524.0, 377.0, 1367.0],
        ),
        (
            Draw::Integers {
                low: -4097,
                high: Some(4099),
            },
            F16,
            &[1030.0, 4002.0, -332.0],
        ),
        (
            Draw::Uniform {
                from: 0.9,
                to: 0.90625,
            },
            F16,
            &[
                0.904296875,
                0.90283203125,
                0.900390625,
                0.90283203125,
                0.904296875,
            ],
        ),
        (
            Draw::TruncatedNormal {
                mean: 0.0,
                std: 1.0,
                a: 2.0,
                b: 3.0,
            },
            F16,
            &[2.6953125, 2.19921875, 2.951171875, 2.23828125, 2.505859375],
        ),
        (
            Draw::TruncatedNormal {
                mean: 1.0,
                std: 0.5,
                a: 2.0,
                b: 2.5,
            },
            F16,
            &[2.208984375, 2.384765625, 2.423828125],
        ),
        (
            Draw::LogNormal {
                mean: 1.0,
                std: 0.5,
            },
            BF16,
            &[3.203125, 2.578125, 1.828125],
        ),
        (
            Draw::Cauchy {
                median: 1.0,
                sigma: 2.0,
            },
            BF16,
            &[-6.0, 27.25, 1.40625],
        ),
        (Draw::Geometric { p: 0.3 }, BF16, &[1.0, 3.0, 1.0]),
        (Draw::AnyInteger, BF16, &[107.0, 129.0, 179.0]),
        (
            Draw::Exponential { lambd: 2.0 },
            BF16,
            &[1.2734375, 0.9296875, 0.578125],
        ),
        (
            Draw::Integers { low: 7, high: None },
            BF16,
            &[101.0, 24.0, 255.0],
        ),
        (
            Draw::Integers {
                low: -4097,
                high: Some(4099),
            },
            BF16,
            &[-1904.0, -3296.0, 752.0],
        ),
        (
            Draw::Uniform {
                from: 0.9,
                to: 0.90625,
            },
            BF16,
            &[0.8984375, 0.8984375, 0.90234375, 0.8984375, 0.90234375],
        ),
        (
            Draw::TruncatedNormal {
                mean: 0.0,
                std: 1.0,
                a: 2.0,
                b: 3.0,
            },
            BF16,
            &[2.421875, 2.53125, 2.75, 2.171875, 2.046875],
        ),
        (
            Draw::TruncatedNormal {
                mean: 1.0,
                std: 0.5,
                a: 2.0,
                b: 2.5,
            },
            BF16,
            &[2.078125, 2.171875, 2.046875],
        ),
        (Draw::AnyInteger, U8, &[154.0, 124.0, 163.0]),
        (
            Draw::Integers { low: 4, high: None },
            U8,
            &[150.0, 157.0, 86.0],
        ),
        (Draw::Geometric { p: 0.1 }, U8, &[32.0, 22.0, 1.0]),
        (Draw::AnyInteger, I8, &[39.0, 8.0, 13.0]),
        (
            Draw::Integers { low: 4, high: None },
            I8,
            &[36.0, 35.0, 76.0],
        ),
        (Draw::Geometric { p: 0.1 }, I8, &[3.0, 1.0, 10.0]),
        (Draw::AnyInteger, I16, &[12003.0, 7942.0, 23761.0]),
        (
            Draw::Integers { low: 4, high: None },
            I16,
            &[10519.0, 21516.0, 19069.0],
        ),
        (Draw::Geometric { p: 0.1 }, I16, &[12.0, 16.0, 1.0]),
        (
            Draw::AnyInteger,
            I32,
            &[2114275991.0, 1895702808.0, 925828100.0],
        ),
        (
            Draw::Integers { low: 4, high: None },
            I32,
            &[1631143748.0, 1082897167.0, 2115030882.0],
        ),
        (Draw::Geometric { p: 0.1 }, I32, &[22.0, 5.0, 9.0]),
        (
            Draw::AnyInteger,
            I64,
            &[
                244176913665950749.0,
                6405327728593098099.0,
                2732716535054994039.0,
            ],
        ),
        (
            Draw::Integers { low: 4, high: None },
            I64,
            &[
                8888183391622206302.0,
                8824374620584538123.0,
                9175251261942483957.0,
            ],
        ),
        (Draw::Geometric { p: 0.1 }, I64, &[5.0, 2.0, 10.0]),
        (Draw::AnyInteger, Bool, &[1.0, 0.0, 1.0]),
        (
            Draw::Integers {
                low: i64::MIN,
                high: None,
            },
            I64,
            &[
                7399585645060279555.0,
                2225728736096737066.0,
                -356028182550522348.0,
            ],
        ),
        (
            Draw::Integers {
                low: i64::MIN,
                high: None,
            },
            F32,
            &[7.4916005e+18, -7.9466587e+18, 6.3384025e+18],
        ),
        (
            Draw::Integers {
                low: 0,
                high: Some(1 << 40),
            },
            U64,
            &[1021800875368.0, 956807247707.0, 186114441279.0],
        ),
        (
            Draw::Integers {
                low: 0,
                high: Some(1 << 30),
            },
            U32,
            &[348327828.0, 675345673.0, 997438043.0],
        ),
        (
            Draw::Integers {
                low: 0,
                high: Some(9),
            },
            U16,
            &[3.0, 2.0, 5.0],
        ),
        (
            Draw::Permutation,
            U8,
            &[
                0.0, 13.0, 3.0, 19.0, 6.0, 8.0, 11.0, 16.0, 7.0, 15.0, 12.0, 5.0, 1.0, 10.0, 2.0,
                14.0, 18.0, 17.0, 9.0, 4.0,
            ],
        ),
        (Draw::Permutation, BF16, &[2.0, 3.0, 0.0, 1.0, 4.0]),
    ];
    let mut generator = Generator::new(0);
    for &(draw, dtype, expected) in lines {
        let bytes = generator
            .draw(draw, expected.len(), dtype)
            .expect("a valid draw");
        let drawn = decode(&bytes, dtype);
        // `libm`'s functions may differ from PyTorch's in a double's last places.
        let tolerance = if dtype == F64 { 1e-14 } else { 1e-7 };
        for (got, expected) in drawn.iter().zip(expected) {
            assert!(
                (got - expected).abs() <= tolerance * expected.abs(),
                "{draw:?} in {dtype}: drew {drawn:?}, PyTorch {expected}"
            );
        }
        assert_eq!(drawn.len(), expected.len());
    }
    let weights = [1.0, 2.0, 3.0, 4.0];
    let indices: &[(DType, i64, bool, &[i64])] = &[
        (F16, 3, false, &[3, 2, 0]),
        (F16, 5, true, &[3, 1, 0, 2, 1]),
        (BF16, 3, false, &[3, 2, 0]),
        (BF16, 5, true, &[3, 3, 1, 1, 2]),
        (F64, 3, false, &[1, 0, 2]),
        (F64, 5, true, &[2, 3, 3, 3, 1]),
    ];
    for &(dtype, samples, replacement, expected) in indices {
        let drawn = generator.multinomial(&weights, 1, 4, dtype, samples, replacement);
        assert_eq!(drawn.expect("valid weights"), expected, "{dtype}");
    }
    let coins = [
        (F32, [true, false, false, true]),
        (F64, [false, true, true, true]),
        (F16, [false, true, true, true]),
        (BF16, [false, true, false, true]),
    ];
    for (dtype, expected) in coins {
        let drawn = generator.bernoulli_each(&[0.2, 0.4, 0.6, 0.8], dtype);
        assert_eq!(drawn.expect("probabilities"), expected, "{dtype}");
    }
    let last = generator
        .draw(Draw::Uniform { from: 0.0, to: 1.0 }, 1, F32)
        .expect("a uniform");
    assert_eq!(decode(&last, F32), [f64::from(0.262_536_1_f32)]);
}

#[test]
fn a_uniform_never_reaches_its_bound() {
    let mut generator = Generator::new(0);
    for dtype in [F16, BF16, F32, F64] {
        // So near that most numbers round to the bound.
        let (from, to) = (
            1.0,
            1.0 + f64::EPSILON * 2.0_f64.powi(if dtype == F64 { 0 } else { 29 }),
        );
        let to = match dtype {
            F16 => 1.0 + 2.0_f64.powi(-10),
            BF16 => 1.0 + 2.0_f64.powi(-7),
            _ => to,
        };
        let bytes = generator
            .draw(Draw::Uniform { from, to }, 1000, dtype)
            .expect("uniforms");
        assert!(decode(&bytes, dtype).iter().all(|&x| x == 1.0), "{dtype}");
    }
}
