//! The generator against real PyTorch: `tests/golden/random.json`, made by `make_random.py` there.
//!
//! Every case replays its calls on one generator, so a draw too many in one call fails the next.

use glowgrad_tensor::DType;
use glowgrad_tensor::random::{Draw, Generator, STATE_BYTES};
use serde_json::Value;

use crate::replay::{Drawn, Replay, decode};

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

/// Elements of any dtype as JSON numbers or booleans.
fn elements(bytes: &[u8], dtype: DType) -> Vec<Value> {
    if dtype.is_float() {
        return decode(bytes, dtype).into_iter().map(Value::from).collect();
    }
    let sign = |top: u8| {
        if dtype.is_signed() && top > 127 {
            255
        } else {
            0
        }
    };
    bytes
        .chunks_exact(dtype.size())
        .map(|element| {
            let mut wide = [sign(element[element.len() - 1]); 8];
            wide[..element.len()].copy_from_slice(element);
            match (dtype, i64::from_le_bytes(wide)) {
                (DType::Bool, bit) => Value::from(bit != 0),
                (_, integer) => Value::from(integer),
            }
        })
        .collect()
}

/// Equal, or off by a few last places where `ln`, `sin` and `cos` take part.
/// A value near zero is a product of a large radius and a tiny cosine of `2πu`, whose argument
/// carries its own rounding: hence the absolute floor.
fn close(got: f64, expected: f64, dtype: DType) -> bool {
    let tolerance = match dtype {
        DType::F64 => 4.0 * f64::EPSILON,
        DType::F32 => f64::from(f32::EPSILON),
        _ => 0.0,
    };
    (got - expected).abs() <= tolerance * expected.abs().max(0.25)
}

/// Compares a call's elements with PyTorch's, and the hash of all bytes where equality is promised;
/// says how many elements the file lists.
fn check(what: &str, call: &Value, drawn: &Drawn) -> usize {
    let dtype = DType::parse(call["dtype"].as_str().expect("dtype")).expect("a dtype");
    let got = elements(&drawn.bytes, dtype);
    assert_eq!(
        got.len() as u64,
        call["size"].as_u64().expect("size"),
        "{what}"
    );
    let sections = match call.get("values") {
        Some(values) => vec![(0, values)],
        None => vec![(0, &call["first"]), (got.len() - 8, &call["last"])],
    };
    // A QR decomposition in float32 against one in float64.
    let slack = if call["call"] == "orthogonal_" {
        1e-6
    } else {
        0.0
    };
    let mut compared = 0;
    for (start, values) in sections {
        for (offset, expected) in values.as_array().expect("values").iter().enumerate() {
            let got = &got[start + offset];
            let equal = match (got.as_f64(), expected.as_f64()) {
                (Some(got), Some(expected)) if dtype.is_float() => {
                    // The file has the shortest digits that mean a float32.
                    let expected = match dtype {
                        DType::F32 => f64::from(expected as f32),
                        _ => expected,
                    };
                    // serde_json may read a double one last place off; the hash is what is exact.
                    let exact = drawn.exact && dtype != DType::F64;
                    got == expected
                        || !exact && close(got, expected, dtype)
                        || (got - expected).abs() <= slack
                }
                _ => got == expected,
            };
            assert!(
                equal,
                "{what}: [{}] is {got}, PyTorch drew {expected}",
                start + offset
            );
            compared += 1;
        }
    }
    if drawn.exact {
        assert_eq!(
            Some(fnv1a(drawn.bytes.iter().copied()).as_str()),
            call["hash"].as_str(),
            "{what}: values differ in their last bits or in the middle"
        );
    }
    compared
}

#[test]
fn calls_draw_what_pytorch_draws() {
    let golden = golden();
    let mut compared = 0;
    for case in golden["cases"].as_array().expect("cases") {
        let mut replay = Replay::new(case["seed"].as_u64().expect("seed"));
        for (index, call) in case["calls"].as_array().expect("calls").iter().enumerate() {
            let what = format!(
                "seed {}, {}, call {index} ({} of {})",
                case["seed"], case["name"], call["call"], call["size"]
            );
            let drawn = replay.call(call);
            compared += check(&what, call, &drawn);
        }
        let state = replay.generator.state();
        // A cached normal inside the state is a double that may differ in its last bit.
        let cached = 24 + 8 * 624 + 8;
        if state[cached..cached + 8] == [0; 8] {
            assert_eq!(
                Some(fnv1a(state.iter().copied()).as_str()),
                case["state_hash"].as_str(),
                "seed {}, {}: the state afterwards differs",
                case["seed"],
                case["name"]
            );
        }
        let mut restored = Generator::new(0);
        restored.set_state(&state).expect("own state");
        assert_eq!(restored, replay.generator);
    }
    assert!(
        compared > 14_000,
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
    let flips = generator
        .draw(Draw::Bernoulli { p: 0.25 }, 4000, DType::Bool)
        .expect("coins");
    let heads = flips.iter().filter(|&&flip| flip == 1).count();
    assert!(
        (850..1150).contains(&heads),
        "{heads} of 4000 at probability 0.25"
    );
}
