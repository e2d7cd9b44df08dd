//! What a build needs from outside: Node, the wasm target, npm packages.
//!
//! Node must be there and is only checked; the other two are fetched here. Nothing is fetched twice.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::lab::{Fingerprint, Lab};
use crate::step::{self, Outcome};

/// The oldest Node that the front end's tools run on.
const OLDEST_NODE: (u32, u32) = (20, 19);

pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Fails unless a Node that is new enough is on the PATH.
pub(crate) fn check_node(lab: &Lab) -> Result<Outcome> {
    let version = step::capture(step::command("node", &lab.root).arg("--version"));
    let remedy = "install Node 20.19 or newer from https://nodejs.org and run this again";
    let Some(version) = version else {
        bail!("Node is not on the PATH: {remedy}");
    };
    match parse_version(&version) {
        Some(found) if found >= OLDEST_NODE => Ok(Outcome::Note(version)),
        _ => bail!("Node {version} is too old: {remedy}"),
    }
}

/// `v20.20.2` → `(20, 20)`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Installs a target where it is missing.
pub(crate) fn add_target(lab: &Lab, target: &str) -> Result<Outcome> {
    if has_target(lab, target) {
        return Ok(Outcome::Unchanged);
    }
    step::run(
        step::command("rustup", &lab.root).args(["target", "add", target]),
        format_args!(
            "install Rust through https://rustup.rs, or add the target {target} to your own toolchain"
        ),
    )?;
    Ok(Outcome::Note(format!("added {target}")))
}

/// Asks rustc rather than rustup: a toolchain from elsewhere may carry the target as well.
fn has_target(lab: &Lab, target: &str) -> bool {
    let mut rustc = step::command(
        std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()),
        &lab.root,
    );
    rustc.args(["--print", "target-libdir", "--target", target]);
    step::capture(&mut rustc).is_some_and(|path| Path::new(&path).is_dir())
}

/// Installs the npm packages that the lock file of a folder names, when it or Node's modules have
/// changed. `""` is the root.
pub(crate) fn install_packages(lab: &Lab, folder: &str) -> Result<Outcome> {
    let root = lab.path(folder);
    let mut fingerprint = Fingerprint::default();
    fingerprint
        .path(&root.join("package.json"))?
        .path(&root.join("package-lock.json"))?;
    let fingerprint = fingerprint.finish();
    let stamp = match folder {
        "" => "npm".to_owned(),
        _ => format!("npm-{}", folder.replace('/', "-")),
    };
    // npm writes this file last, so its absence means that an installation was cut short.
    let complete = root.join("node_modules/.package-lock.json").is_file();
    if complete && lab.is_stamped(&stamp, fingerprint) {
        return Ok(Outcome::Unchanged);
    }
    step::run(
        step::npm(&root).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]),
        "check the network (npm says above what it could not fetch) and run this again",
    )?;
    lab.set_stamp(&stamp, fingerprint)
        .context("the packages are installed, but cannot be remembered")?;
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(parse_version("v20.20.2\n"), Some((20, 20)));
        assert!(parse_version("v20.9.0").unwrap() < OLDEST_NODE);
        assert!(parse_version("v22.0.0").unwrap() >= OLDEST_NODE);
        assert_eq!(parse_version("not a version"), None);
    }
}
