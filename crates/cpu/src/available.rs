//! How much memory the system can still give.
//!
//! Linux promises more than it has, and ends the process that uses what was promised. So a large request
//! is compared with what is there: what `/proc/meminfo` calls available, and what the limit of a control group leaves.
//! Other systems refuse a request themselves, or swap.

use std::fs::read_to_string;

/// Bytes that can be had without taking them from other programs; none where the system does not say.
pub fn available_memory() -> Option<usize> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    let system = read_to_string("/proc/meminfo")
        .ok()
        .as_deref()
        .and_then(available_of_system)?;
    Some(match left_in_group() {
        Some(left) => left.min(system),
        None => system,
    })
}

fn available_of_system(text: &str) -> Option<usize> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// What a container's limit leaves; none without one.
fn left_in_group() -> Option<usize> {
    let number = |name: &str| -> Option<usize> {
        let text = read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse().ok()
    };
    // Without a limit the file says `max`.
    let most = number("memory.max")?;
    Some(most.saturating_sub(number("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:  24000 kB\nMemFree: 10 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(available_of_system(text), Some(2 << 20));
        assert_eq!(available_of_system("MemTotal: 1 kB\n"), None);
        if cfg!(target_os = "linux") {
            assert!(available_memory().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
