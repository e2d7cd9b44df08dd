//! The memory limits of the control groups that this process is in (`man 7 cgroups`).
//!
//! A process is in one group of each hierarchy, and the limit of every parent counts as well. The
//! hierarchies are version 2's, whose files are `memory.max` and `memory.current`, and version 1's memory
//! controller. `/proc/self/cgroup` tells the group's path in its hierarchy, `/proc/self/mountinfo` which
//! part of the hierarchy is mounted where: in a container often the container's own group alone.
//! Invariant: what cannot be read limits nothing.

use std::sync::OnceLock;

/// The text of a file, if it can be read.
type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The folders of the groups, each with the names of its files.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Groups(Vec<(String, &'static Files)>);

/// What the files of a group are called.
#[derive(Debug, PartialEq, Eq)]
struct Files {
    limit: &'static str,
    usage: &'static str,
    /// The row of `memory.stat` with the file cache that the kernel drops first.
    inactive: &'static str,
}

static V1: Files = Files {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    inactive: "total_inactive_file",
};
static V2: Files = Files {
    limit: "memory.max",
    usage: "memory.current",
    inactive: "inactive_file",
};

impl Groups {
    /// This process's, as they were when they were first asked for.
    pub(super) fn own() -> &'static Groups {
        static OWN: OnceLock<Groups> = OnceLock::new();
        OWN.get_or_init(|| Groups::find(&super::read))
    }

    fn find(read: Read<'_>) -> Groups {
        let groups = read("/proc/self/cgroup").unwrap_or_default();
        let mounts = read("/proc/self/mountinfo").unwrap_or_default();
        let mut found = Vec::new();
        for line in groups.lines() {
            // `4:memory:/path` of version 1, `0::/path` of version 2.
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
                continue;
            };
            let files = match controllers {
                "" => &V2,
                _ if controllers.split(',').any(|name| name == "memory") => &V1,
                _ => continue,
            };
            if let Some((root, mount)) = mounts.lines().find_map(|line| mounted(line, files)) {
                let below = path.strip_prefix(root.trim_end_matches('/')).unwrap_or("");
                let folders = with_parents(mount, below).into_iter();
                found.extend(folders.map(|folder| (folder, files)));
            }
        }
        Groups(found)
    }

    /// The smallest limit; none without one.
    pub(super) fn limit(&self, read: Read<'_>) -> Option<usize> {
        let limits = self
            .0
            .iter()
            .map(|(folder, files)| files.limit(folder, read));
        limits.flatten().min()
    }

    /// What the groups' limits leave, the least of them; none without a limit. File cache that the kernel
    /// drops before it refuses memory counts as free, as `MemAvailable` counts it.
    pub(super) fn left(&self, read: Read<'_>) -> Option<usize> {
        let left = |(folder, files): &(String, &Files)| {
            let limit = files.limit(folder, read)?;
            let used = number(&read(&format!("{folder}/{}", files.usage))?)?;
            let stat = read(&format!("{folder}/memory.stat")).unwrap_or_default();
            let cache = stat.lines().find_map(|line| {
                let (name, bytes) = line.split_once(' ')?;
                (name == files.inactive).then(|| number(bytes))?
            });
            Some(limit.saturating_sub(used.saturating_sub(cache.unwrap_or(0))))
        };
        self.0.iter().filter_map(left).min()
    }
}

impl Files {
    /// The limit of a group; without one version 2's file says `max`, and version 1's a number beyond all memory.
    fn limit(&self, folder: &str, read: Read<'_>) -> Option<usize> {
        number(&read(&format!("{folder}/{}", self.limit))?)
    }
}

fn number(text: &str) -> Option<usize> {
    text.trim().parse().ok()
}

/// Which part of the hierarchy with these files a line of `mountinfo` mounts, and where.
fn mounted<'a>(line: &'a str, files: &Files) -> Option<(&'a str, &'a str)> {
    let (mount, filesystem) = line.split_once(" - ")?;
    let mut fields = filesystem.split(' ');
    let (kind, options) = (fields.next()?, fields.nth(1)?);
    let wanted = match kind {
        "cgroup2" => *files == V2,
        "cgroup" => *files == V1 && options.split(',').any(|option| option == "memory"),
        _ => false,
    };
    let mut fields = mount.split(' ').skip(3);
    let (root, point) = (fields.next()?, fields.next()?);
    wanted.then_some((root, point))
}

/// The folder of a group and those of its parents, down to the mount point.
fn with_parents(mount: &str, path: &str) -> Vec<String> {
    let mount = mount.trim_end_matches('/');
    let mut folders = vec![mount.to_owned()];
    // A group outside of what this process can see begins with `..`: the mount point is all there is.
    let names = path.split('/').filter(|name| !name.is_empty());
    for name in names.take_while(|name| *name != "..") {
        folders.push(format!("{}/{name}", folders.last().map_or("", |last| last)));
    }
    folders.reverse();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file system of texts.
    fn files<'a>(texts: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |path| {
            let found = texts.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        }
    }

    const MOUNT_V2: &str =
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    const MOUNTS_V1: &str = "\
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n\
        32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
        40 31 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

    #[test]
    fn the_own_groups_limit_counts_and_so_do_its_parents() {
        let texts = [
            (
                "/proc/self/cgroup",
                "0::/user.slice/user-1000.slice/run-7.scope\n",
            ),
            ("/proc/self/mountinfo", MOUNT_V2),
            ("/sys/fs/cgroup/user.slice/memory.max", "4000\n"),
            ("/sys/fs/cgroup/user.slice/memory.current", "3500\n"),
            (
                "/sys/fs/cgroup/user.slice/user-1000.slice/memory.max",
                "max\n",
            ),
            (
                "/sys/fs/cgroup/user.slice/user-1000.slice/memory.current",
                "900\n",
            ),
            (
                "/sys/fs/cgroup/user.slice/user-1000.slice/run-7.scope/memory.max",
                "1000\n",
            ),
            (
                "/sys/fs/cgroup/user.slice/user-1000.slice/run-7.scope/memory.current",
                "300\n",
            ),
        ];
        let read = files(&texts);
        let groups = Groups::find(&read);
        assert_eq!(groups.limit(&read), Some(1000));
        // The parent has less left than the group itself.
        assert_eq!(groups.left(&read), Some(500));
    }

    #[test]
    fn cache_that_the_kernel_drops_is_free() {
        let texts = [
            ("/proc/self/cgroup", "0::/a\n"),
            ("/proc/self/mountinfo", MOUNT_V2),
            ("/sys/fs/cgroup/a/memory.max", "1000\n"),
            ("/sys/fs/cgroup/a/memory.current", "990\n"),
            (
                "/sys/fs/cgroup/a/memory.stat",
                "anon 300\nfile 690\ninactive_file 600\nactive_file 90\n",
            ),
        ];
        let read = files(&texts);
        assert_eq!(Groups::find(&read).left(&read), Some(610));
    }

    #[test]
    fn version_1_has_a_hierarchy_for_memory() {
        let folder = "/sys/fs/cgroup/memory/batch/job";
        let texts = [
            (
                "/proc/self/cgroup",
                "9:cpu,cpuacct:/other\n4:hugetlb,memory:/batch/job\n0::/else\n",
            ),
            ("/proc/self/mountinfo", MOUNTS_V1),
            (
                "/sys/fs/cgroup/memory/batch/job/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            (
                "/sys/fs/cgroup/memory/batch/job/memory.usage_in_bytes",
                "250\n",
            ),
            (
                "/sys/fs/cgroup/memory/batch/memory.limit_in_bytes",
                "2000\n",
            ),
            ("/sys/fs/cgroup/memory/batch/memory.usage_in_bytes", "750\n"),
            (
                "/sys/fs/cgroup/memory/batch/memory.stat",
                "inactive_file 1\ntotal_inactive_file 50\n",
            ),
            (
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ];
        let read = files(&texts);
        let groups = Groups::find(&read);
        assert_eq!(groups.0[0], (folder.to_owned(), &V1));
        assert_eq!(groups.limit(&read), Some(2000));
        assert_eq!(groups.left(&read), Some(1300));
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        // The group's path is the computer's; its folder is what is mounted, and `inner` is below it.
        let mount = "35 31 0:32 /docker/4f1e /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        let texts = [
            ("/proc/self/cgroup", "0::/docker/4f1e/inner\n"),
            ("/proc/self/mountinfo", mount),
            ("/sys/fs/cgroup/memory.max", "8000\n"),
            ("/sys/fs/cgroup/inner/memory.max", "6000\n"),
        ];
        let read = files(&texts);
        assert_eq!(Groups::find(&read).limit(&read), Some(6000));
        // With a namespace of its own the path may lead out of what is mounted.
        let texts = [
            ("/proc/self/cgroup", "0::/../sibling\n"),
            ("/proc/self/mountinfo", MOUNT_V2),
            ("/sys/fs/cgroup/memory.max", "8000\n"),
        ];
        let read = files(&texts);
        assert_eq!(Groups::find(&read).limit(&read), Some(8000));
    }

    #[test]
    fn what_cannot_be_read_limits_nothing() {
        let none = |_: &str| None;
        let groups = Groups::find(&none);
        assert_eq!((groups.limit(&none), groups.left(&none)), (None, None));
        let texts = [
            ("/proc/self/cgroup", "nonsense\n0::/a\n4:memory\n"),
            ("/proc/self/mountinfo", "nonsense\n30 23 - cgroup2\n"),
        ];
        let read = files(&texts);
        assert_eq!(Groups::find(&read), Groups(Vec::new()));
        let texts = [
            ("/proc/self/cgroup", "0::/a\n"),
            ("/proc/self/mountinfo", MOUNT_V2),
            ("/sys/fs/cgroup/a/memory.max", "max\n"),
        ];
        let read = files(&texts);
        assert_eq!(Groups::find(&read).limit(&read), None);
    }
}
