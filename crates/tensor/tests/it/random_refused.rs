//! Draws that are refused: what each says, and that none takes a number of the generator.

use glowgrad_tensor::DType::*;
use glowgrad_tensor::ErrorKind;
use glowgrad_tensor::random::{Draw, Generator};

#[test]
fn a_refused_draw_says_why_and_draws_nothing() {
    let uniform = |from, to| Draw::Uniform { from, to };
    let normal = |std| Draw::Normal { mean: 0.0, std };
    let integers = |low, high| Draw::Integers {
        low,
        high: Some(high),
    };
    let truncated = |std, a, b| Draw::TruncatedNormal {
        mean: 0.0,
        std,
        a,
        b,
    };
    let cases = [
        (uniform(2.0, 1.0), F32, "found from=2 > to=1"),
        (
            uniform(0.0, f64::INFINITY),
            F32,
            "to is out of bounds for float32",
        ),
        (uniform(f64::NAN, 1.0), F64, "from is out of bounds"),
        (uniform(0.0, 1e9), F16, "to is out of bounds for float16"),
        (uniform(-6e4, 6e4), F16, "to-from <="),
        (uniform(0.0, 1.0), I32, "not implemented for 'Int'"),
        (normal(-1.0), F32, "found std -1"),
        (normal(f64::NAN), F32, "found std NaN"),
        (normal(1.0), I64, "not implemented for 'Long'"),
        (
            Draw::LogNormal {
                mean: 0.0,
                std: 0.0,
            },
            F32,
            "std > 0.0",
        ),
        (Draw::Exponential { lambd: 0.0 }, F32, "lambda > 0.0"),
        (Draw::Exponential { lambd: 1.0 }, I32, "continuous"),
        (
            Draw::Cauchy {
                median: 0.0,
                sigma: 0.0,
            },
            F32,
            "sigma > 0.0",
        ),
        (Draw::Geometric { p: 1.0 }, F32, "p to be in (0, 1)"),
        (
            Draw::Geometric { p: 0.5 },
            Bool,
            "not implemented for 'Bool'",
        ),
        (Draw::Bernoulli { p: 1.5 }, F32, "p to be in [0, 1]"),
        (Draw::Bernoulli { p: f64::NAN }, F32, "p to be in [0, 1]"),
        (
            Draw::Bernoulli { p: 0.5 },
            U16,
            "not implemented for 'UInt16'",
        ),
        (integers(5, 5), I64, "from=5 >= to=5"),
        (integers(0, 300), U8, "to - 1 is out of bounds for uint8"),
        (integers(-1, 5), U8, "from is out of bounds for uint8"),
        (integers(0, 3), Bool, "to - 1 is out of bounds for bool"),
        (integers(0, 300), I8, "to - 1 is out of bounds for int8"),
        (
            integers(0, 70_000),
            F16,
            "to - 1 is out of bounds for float16",
        ),
        (
            Draw::Integers {
                low: i64::MIN,
                high: None,
            },
            I16,
            "handles only int64",
        ),
        (Draw::AnyInteger, U32, "not implemented for 'UInt32'"),
        (Draw::Permutation, Bool, "not implemented for 'Bool'"),
        (truncated(0.0, -2.0, 2.0), F32, "std other than 0"),
        (truncated(1.0, 2.0, -2.0), F32, "found from=2 > to=-2"),
        (
            truncated(1.0, 2.0, f64::INFINITY),
            F32,
            "to is out of bounds",
        ),
    ];
    let mut generator = Generator::new(0);
    for (draw, dtype, words) in cases {
        let error = generator.draw(draw, 3, dtype).expect_err("refused");
        assert!(
            error.message.contains(words),
            "{draw:?} in {dtype}: {error}"
        );
        let missing = error.message.contains("not implemented for");
        let kind = if missing {
            ErrorKind::NotImplemented
        } else {
            ErrorKind::Runtime
        };
        assert_eq!(error.kind, kind, "{error}");
    }
    for (n, dtype) in [(257, U8), (129, I8), (32_769, I16), (2050, F16)] {
        assert!(
            generator.draw(Draw::Permutation, n, dtype).is_err(),
            "{dtype}"
        );
        assert!(Draw::Permutation.check(n - 1, dtype).is_ok(), "{dtype}");
    }
    let nan = f64::NAN;
    for (weights, samples, replacement, words) in [
        (&[1.0, 2.0][..], 0, true, "n_sample <= 0"),
        (&[1.0, 2.0], -1, false, "n_sample <= 0"),
        (&[1.0, 2.0], 3, false, "without replacement"),
        (&[0.0, 0.0], 1, false, "sum of probabilities <= 0"),
        (&[0.0, 0.0], 2, true, "sum of probabilities <= 0"),
        (&[-1.0, 2.0], 2, false, "element < 0"),
        (&[-1.0, 2.0], 2, true, "entry < 0"),
        (&[nan, 2.0], 2, true, "entry < 0"),
        (&[nan, 2.0], 2, false, "`nan`"),
        (&[f64::INFINITY, 2.0], 2, true, "infinity"),
        (&[], 2, true, "sum of probabilities <= 0"),
        (&[], 1, false, "without replacement"),
        (&[1.0, 2.0], i64::MAX, true, "bytes"),
    ] {
        let drawn = generator.multinomial(weights, 1, weights.len(), F32, samples, replacement);
        let error = drawn.expect_err("refused");
        assert!(error.message.contains(words), "{weights:?}: {error}");
    }
    assert!(generator.multinomial(&[1.0], 1, 1, I64, 1, true).is_err());
    for p in [1.5, -0.1, nan] {
        assert!(generator.bernoulli_each(&[p], F32).is_err());
    }
    assert!(generator.bernoulli_each(&[1.0], I64).is_err());
    assert_eq!(generator, Generator::new(0), "a refused draw took numbers");
}

#[test]
fn bounds_out_of_reach_end() {
    let draw = Draw::TruncatedNormal {
        mean: 0.0,
        std: 1e-30,
        a: 0.0,
        b: 1e30,
    };
    assert!(
        Generator::new(0).draw(draw, 4, F64).is_ok(),
        "half of them fit"
    );
    let draw = Draw::TruncatedNormal {
        mean: 0.0,
        std: 1e-20,
        a: 1e-20,
        b: 1.0,
    };
    let error = Generator::new(0).draw(draw, 4, F64).expect_err("too rare");
    assert!(error.message.contains("gave up after"), "{error}");
}
