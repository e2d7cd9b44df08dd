//! What the op reference says of the GPU backends, against devices that count what they left to the CPU.
#![cfg(all(feature = "cuda", feature = "gpu", not(target_arch = "wasm32")))]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use glowgrad::cuda::CudaBackend;
use glowgrad::gpu::{self, GpuBackend};
use glowgrad::reference::{build, each_call};
use glowgrad::{DType, Engine};

/// Why a task is the CPU's that is not the op's or its dtype's but the call's: where its operands are, and their values.
const OF_THE_CALL: [&str; 4] = [
    "integers from what the host knows",
    "a few integers from what the host knows",
    "no elements",
    "an int64 beyond 32 bits",
];

/// What the reference says of a backend that does not come to pass on an engine whose device has counted these tasks
/// of the CPU by reason.
fn mistakes(
    backend: &str,
    engine: &Engine,
    fallbacks: &dyn Fn() -> BTreeMap<String, usize>,
    is_there: impl Fn(DType) -> bool,
) -> Vec<String> {
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let families = build(&glowgrad::cpu()).unwrap();
    for entry in families.into_iter().flat_map(|family| family.ops) {
        let mut backends = entry.backends.iter();
        let of = backends.find(|of| of.name == backend).unwrap();
        let on_cpu = of.on_cpu.iter().map(DType::to_string).collect();
        said.insert(entry.name, on_cpu);
    }
    // Tasks of the CPU for the op or its dtype, and those for the call.
    let counts = || {
        let mut counts = (0, 0);
        for (why, n) in fallbacks() {
            match OF_THE_CALL.contains(&why.as_str()) {
                true => counts.1 += n,
                false => counts.0 += n,
            }
        }
        counts
    };
    let mut found: BTreeMap<(String, String), (bool, bool)> = BTreeMap::new();
    each_call(engine, &mut |name, dtype, run| {
        let before = counts();
        if is_there(dtype) && run() {
            let after = counts();
            let key = (name.to_owned(), dtype.to_string());
            let (left, left_for_the_call) = found.entry(key).or_default();
            *left |= after.0 > before.0;
            *left_for_the_call |= after.1 > before.1;
        }
    });
    assert!(found.len() > 2000, "{}", found.len());
    let differs = found.iter().filter(|((name, dtype), (left, of_the_call))| {
        let says_left = said[name].contains(dtype);
        says_left != *left && !(says_left && *of_the_call)
    });
    differs
        .map(|((name, dtype), (left, _))| format!("{name}, {dtype}: on the CPU is {left}"))
        .collect()
}

#[test]
fn wgpu_leaves_to_the_cpu_what_the_reference_says() {
    let backend = match GpuBackend::open(gpu::block_on) {
        Ok(backend) => Rc::new(backend),
        Err(error) => return println!("SKIPPED: {error}"),
    };
    let engine = Engine::new(Box::new(backend.clone()));
    let is_there = |dtype| dtype != DType::F16 || backend.has_f16();
    let mistakes = mistakes("wgpu", &engine, &|| backend.fallbacks(), is_there);
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn cuda_leaves_to_the_cpu_what_the_reference_says() {
    let backend = match CudaBackend::open() {
        Ok(backend) => Rc::new(backend),
        Err(error) => return println!("SKIPPED: {error}"),
    };
    let engine = Engine::new(Box::new(backend.clone()));
    let mistakes = mistakes("cuda", &engine, &|| backend.fallbacks(), |_| true);
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
