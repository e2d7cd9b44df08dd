//! The whole check on the CPU, and on whatever GPU is at hand: Vulkan in software where there is none.
#![cfg(not(target_arch = "wasm32"))]

use std::sync::LazyLock;
use std::time::Instant;

use glowgrad_check::device::Device;
use glowgrad_check::{Check, Part};

fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// As [`holds_or_is_not_checked`], and something was.
fn holds(device: Device, parts: impl Fn(&Part) -> bool) -> Check {
    let check = holds_or_is_not_checked(device, parts);
    assert!(check.report().passed > 0, "nothing was checked");
    check
}

/// Runs some parts, prints what was found, and fails where something does not hold.
fn holds_or_is_not_checked(device: Device, parts: impl Fn(&Part) -> bool) -> Check {
    let mut check = Check::new(device, seconds);
    for part in Part::all().into_iter().filter(parts) {
        let done = check.run(part);
        println!(
            "{}: {} passed, {} failed, {} not checked, {:.1} s",
            done.name, done.passed, done.failed, done.skipped, done.seconds
        );
    }
    println!("{}", check.report().summary());
    let failed = &check.report().failed;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    check
}

#[cfg(feature = "gpu")]
fn gpu() -> Option<Device> {
    match Device::gpu(glowgrad::gpu::block_on) {
        Ok(device) => Some(device),
        Err(error) => {
            println!("SKIPPED: {error}");
            None
        }
    }
}

#[test]
#[cfg(feature = "gpu")]
fn golden_cases_hold_on_the_gpu() {
    let Some(device) = gpu() else { return };
    let check = holds(device, |part| matches!(part, Part::Golden(_)));
    let dispatches = check.report().dispatches;
    assert!(dispatches > 10_000, "{dispatches}");
}

#[test]
#[cfg(feature = "gpu")]
fn extreme_values_hold_on_the_gpu() {
    let Some(device) = gpu() else { return };
    holds(device, |part| matches!(part, Part::Extreme(_)));
}

#[test]
#[cfg(feature = "gpu")]
fn training_on_the_gpu_follows_the_cpu_with_one_submit_a_step() {
    let Some(device) = gpu() else { return };
    let check = holds(device, |part| {
        matches!(part, Part::Training(_) | Part::Step)
    });
    let step = check.report().step.as_ref().expect("a step was counted");
    assert_eq!(step.submits, 1.0);
    assert!(step.dispatches < step.dispatches_unfused, "{step:?}");
}

#[test]
#[cfg(feature = "gpu")]
fn a_recorded_step_on_the_gpu_is_the_step() {
    let Some(device) = gpu() else { return };
    holds_or_is_not_checked(device, |part| matches!(part, Part::Recording(_)));
}

#[test]
fn extreme_values_and_training_on_the_cpu_are_themselves() {
    holds(Device::cpu(), |part| {
        matches!(part, Part::Extreme(_) | Part::Training(_))
    });
}
