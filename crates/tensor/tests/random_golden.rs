//! The generator against real PyTorch: `tests/golden/random.json`, made by `make_random.py` there.
//!
//! Every case replays its calls on one generator, so a draw too many in one call fails the next.

use std::fmt::Debug;

use glowgrad_tensor::random::{Generator, STATE_BYTES};
use serde_json::Value;

fn golden() -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/golden/random.json"
    );
    serde_json::from_str(&std::fs::read_to_string(path).expect(path)).expect("valid JSON")
}

fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> String {
    let hash = bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    format!("{hash:016x}")
}

fn number(call: &Value, key: &str) -> f64 {
    call[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {call}"))
}

/// Values with their expectations, and the hash of all bytes where equality is promised.
fn check<T: Copy + Debug>(
    what: &str,
    call: &Value,
    drawn: &[T],
    bytes: Option<Vec<u8>>,
    equal: impl Fn(T, &Value) -> bool,
) -> usize {
    assert_eq!(
        drawn.len() as u64,
        call["size"].as_u64().expect("size"),
        "{what}"
    );
    let sections = match call.get("values") {
        Some(values) => vec![(0, values)],
        None => vec![(0, &call["first"]), (drawn.len() - 8, &call["last"])],
    };
    let mut compared = 0;
    for (start, values) in sections {
        for (offset, expected) in values.as_array().expect("values").iter().enumerate() {
            let got = drawn[start + offset];
            assert!(
                equal(got, expected),
                "{what}: [{}] is {got:?}, PyTorch drew {expected}",
                start + offset
            );
            compared += 1;
        }
    }
    if let (Some(bytes), Some(hash)) = (bytes, call.get("hash").and_then(Value::as_str)) {
        assert_eq!(
            fnv1a(bytes),
            hash,
            "{what}: values differ in their last bits or in the middle"
        );
    }
    compared
}

/// Equal, or off by at most `ulps` last places where `ln`, `sin` and `cos` take part.
/// A value near zero is a product of a large radius and a tiny cosine of `2πu`, whose argument
/// carries its own rounding: hence the absolute floor.
fn close(got: f64, expected: f64, ulps: f64, epsilon: f64) -> bool {
    (got - expected).abs() <= ulps * epsilon * expected.abs().max(0.25)
}

fn replay(generator: &mut Generator, what: &str, call: &Value) -> usize {
    let n = call["size"].as_u64().expect("size") as usize;
    let kind = call["call"].as_str().expect("call");
    let (low, high) = match kind {
        "uniform" => (number(call, "low"), number(call, "high")),
        "normal" => (number(call, "mean"), number(call, "std")),
        // kaiming_uniform_(a=sqrt(5)), rounded step by step as torch/nn/init.py does.
        "linear_weight" => {
            let gain = (2.0 / (1.0 + 5.0_f64.sqrt().powi(2))).sqrt();
            let bound = 3.0_f64.sqrt() * (gain / number(call, "n_in").sqrt());
            (-bound, bound)
        }
        "linear_bias" => {
            let bound = 1.0 / number(call, "n_in").sqrt();
            (-bound, bound)
        }
        _ => (0.0, 0.0),
    };
    let exact_f32 = |x: f32, expected: &Value| Some(x) == expected.as_f64().map(|x| x as f32);
    match (kind, call["dtype"].as_str().expect("dtype")) {
        ("uniform" | "linear_weight" | "linear_bias", "float32") => {
            let mut x = vec![0.0_f32; n];
            generator.uniform_f32(&mut x, low, high);
            let bytes = x.iter().flat_map(|x| x.to_le_bytes()).collect();
            check(what, call, &x, Some(bytes), exact_f32)
        }
        ("uniform", "float64") => {
            let mut x = vec![0.0_f64; n];
            generator.uniform_f64(&mut x, low, high);
            let bytes = x.iter().flat_map(|x| x.to_le_bytes()).collect();
            // serde_json may read a double one last place off; the hash is what is exact.
            check(what, call, &x, Some(bytes), |x, expected| {
                close(x, expected.as_f64().expect("number"), 1.0, f64::EPSILON)
            })
        }
        ("normal", "float32") => {
            let mut x = vec![0.0_f32; n];
            generator.normal_f32(&mut x, low, high);
            if n >= 16 {
                let bytes = x.iter().flat_map(|x| x.to_le_bytes()).collect();
                return check(what, call, &x, Some(bytes), exact_f32);
            }
            check(what, call, &x, None, |x, expected| {
                close(
                    f64::from(x),
                    expected.as_f64().expect("number"),
                    1.0,
                    f64::from(f32::EPSILON),
                )
            })
        }
        ("normal", "float64") => {
            let mut x = vec![0.0_f64; n];
            generator.normal_f64(&mut x, low, high);
            check(what, call, &x, None, |x, expected| {
                close(x, expected.as_f64().expect("number"), 4.0, f64::EPSILON)
            })
        }
        ("randint" | "randperm", "int64") => {
            let mut x = vec![0_i64; n];
            if kind == "randint" {
                let bound = |key: &str| call[key].as_i64().expect("integer bound");
                generator.randint(&mut x, bound("low"), bound("high"));
            } else {
                generator.randperm(&mut x);
            }
            let bytes = x.iter().flat_map(|x| x.to_le_bytes()).collect();
            check(what, call, &x, Some(bytes), |x, expected| {
                Some(x) == expected.as_i64()
            })
        }
        other => panic!("{what}: the golden file has a call this test does not know: {other:?}"),
    }
}

#[test]
fn calls_draw_what_pytorch_draws() {
    let golden = golden();
    let mut compared = 0;
    for case in golden["cases"].as_array().expect("cases") {
        let mut generator = Generator::new(case["seed"].as_u64().expect("seed"));
        for (index, call) in case["calls"].as_array().expect("calls").iter().enumerate() {
            let what = format!(
                "seed {}, {}, call {index} ({} of {})",
                case["seed"], case["name"], call["call"], call["size"]
            );
            compared += replay(&mut generator, &what, call);
        }
        // The cached normal inside the state is a double that may differ in its last bit; the
        // twister behind it may not.
        let mut expected = Generator::new(0);
        expected.set_state(&generator.state()).expect("own state");
        assert_eq!(expected, generator);
    }
    assert!(
        compared > 10_000,
        "only {compared} values compared: the golden file lost its cases"
    );
}

#[test]
fn the_state_is_pytorchs_bytes() {
    let golden = golden();
    let state = &golden["state"];
    let mut generator = Generator::new(state["seed"].as_u64().expect("seed"));
    let mut normals = vec![0.0; state["drawn_normals"].as_u64().expect("count") as usize];
    generator.normal_f32(&mut normals, 0.0, 1.0);
    let bytes = generator.state();
    assert_eq!(bytes.len() as u64, state["bytes"].as_u64().expect("bytes"));
    assert_eq!(Some(fnv1a(bytes).as_str()), state["state_hash"].as_str());
    for case in golden["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .filter(|case| case["name"] == "a network's parameters")
    {
        let mut generator = Generator::new(case["seed"].as_u64().expect("seed"));
        for call in case["calls"].as_array().expect("calls") {
            replay(&mut generator, "parameters", call);
        }
        assert_eq!(
            Some(fnv1a(generator.state()).as_str()),
            case["state_hash"].as_str()
        );
    }
}

#[test]
fn a_restored_state_continues_the_same_stream() {
    let mut generator = Generator::new(3);
    generator.normal_f32(&mut [0.0; 5], 0.0, 1.0);
    let saved = generator.state();
    let mut first = [0.0_f32; 700];
    generator.normal_f32(&mut first[..3], 0.0, 1.0);
    generator.uniform_f32(&mut first[3..], -1.0, 1.0);
    let mut again = [0.0_f32; 700];
    let mut restored = Generator::new(99);
    restored.set_state(&saved).expect("a saved state");
    restored.normal_f32(&mut again[..3], 0.0, 1.0);
    restored.uniform_f32(&mut again[3..], -1.0, 1.0);
    assert_eq!(first, again);
    assert_eq!(restored, generator);
    assert_eq!(restored.seed(), 3);
}

#[test]
fn seeding_again_drops_the_cached_normal() {
    let mut generator = Generator::new(0);
    generator.normal_f32(&mut [0.0; 1], 0.0, 1.0);
    generator.manual_seed(0);
    assert_eq!(generator, Generator::new(0));
}

#[test]
fn only_the_low_half_of_the_seed_draws() {
    let (mut short, mut long) = (Generator::new(5), Generator::new((1 << 32) + 5));
    assert_eq!(short.next_u64(), long.next_u64());
    assert_eq!(long.seed(), 4_294_967_301);
}

#[test]
fn a_broken_state_is_refused_and_changes_nothing() {
    let mut generator = Generator::new(1);
    let before = generator.clone();
    assert!(
        generator
            .set_state(&[0; 10])
            .unwrap_err()
            .contains("10 bytes")
    );
    assert!(
        generator
            .set_state(&[0; STATE_BYTES])
            .unwrap_err()
            .contains("not a valid")
    );
    assert_eq!(generator, before);
    // A state that is within bounds but inconsistent must not read past the words.
    let mut state = generator.state();
    state[8] = 200;
    state[16..18].copy_from_slice(&624_u16.to_le_bytes());
    generator.set_state(&state).expect("within bounds");
    generator.next_u64();
}

#[test]
fn edges_of_ranges_do_not_panic() {
    let mut generator = Generator::new(0);
    let mut x = [0_i64; 64];
    generator.randint(&mut x, i64::MIN, i64::MAX);
    assert!(x.iter().any(|&x| x < 0) && x.iter().any(|&x| x > 0));
    generator.randint(&mut x, 4, 4);
    assert_eq!(x, [4; 64]);
    generator.randperm(&mut []);
    generator.normal_f64(&mut [], 0.0, 1.0);
    let mut flips = [false; 4000];
    generator.bernoulli(&mut flips, 0.25);
    let heads = flips.iter().filter(|&&flip| flip).count();
    assert!(
        (850..1150).contains(&heads),
        "{heads} of 4000 at probability 0.25"
    );
}
