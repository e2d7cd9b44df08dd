//! How much memory the system can still give.
//!
//! Linux promises more than it has, and ends the process that uses what was promised. So a large request
//! is compared with what is there: what `/proc/meminfo` calls available, and what the limits of control
//! groups leave. Other systems refuse a request themselves, or swap.

mod cgroup;

use std::fs::read_to_string;

use cgroup::Groups;

/// Bytes that can be had without taking them from other programs; none where the system does not say.
pub fn available_memory() -> Option<usize> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    let system = in_meminfo(&read("/proc/meminfo")?, "MemAvailable:")?;
    Some(
        Groups::own()
            .left(&read)
            .map_or(system, |left| left.min(system)),
    )
}

/// Bytes that the processes around this one may have at most: the computer's memory, or the smallest
/// limit of a control group. None where the system does not say.
pub fn memory_limit() -> Option<usize> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    let system = in_meminfo(&read("/proc/meminfo")?, "MemTotal:")?;
    Some(
        Groups::own()
            .limit(&read)
            .map_or(system, |limit| limit.min(system)),
    )
}

fn read(path: &str) -> Option<String> {
    read_to_string(path).ok()
}

/// The bytes of a row of `/proc/meminfo`.
fn in_meminfo(text: &str, row: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(row))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:  24000 kB\nMemFree: 10 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(in_meminfo(text, "MemAvailable:"), Some(2 << 20));
        assert_eq!(in_meminfo(text, "MemTotal:"), Some(24_000 << 10));
        assert_eq!(in_meminfo("MemTotal: 1 kB\n", "MemAvailable:"), None);
        if cfg!(target_os = "linux") {
            let (available, limit) = (available_memory().unwrap(), memory_limit().unwrap());
            assert!(
                available > 1 << 20 && available <= limit,
                "{available} of {limit}"
            );
        }
    }
}
