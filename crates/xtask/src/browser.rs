//! Chromium, its driver, a Vulkan driver and NVRTC: found, or installed with a word about it.
//!
//! Invariant: nothing is installed that is there already, and everything that is installed is named
//! on the terminal first. What can go under `target/tools` goes there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::bindgen;
use crate::lab::{self, Lab};
use crate::step::{self, Outcome};

/// Flags under which Chromium runs without a display, as any user, with WebGPU in software.
const FLAGS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
];

/// Programs that browser tests use.
pub(crate) struct Tools {
    pub(crate) chromium: PathBuf,
    pub(crate) driver: PathBuf,
    /// Chromium without windows, tabs and settings, which takes less to open a page; Chromium itself where there is none.
    pub(crate) shell: PathBuf,
}

/// Finds Chromium and its driver, or installs them.
pub(crate) fn ensure_chromium(lab: &Lab) -> Result<Outcome> {
    if let Ok(tools) = find(lab) {
        return Ok(Outcome::Note(tools.chromium.display().to_string()));
    }
    if on_path("apt-get").is_some() {
        println!("  installing the packages chromium and chromium-driver with apt-get");
        install(lab, &["chromium", "chromium-driver"])?;
        println!("  installing the package chromium-headless-shell with apt-get");
        if install(lab, &["chromium-headless-shell"]).is_err() {
            println!("  none here: pages are tested in Chromium itself, which takes longer");
        }
    } else {
        download(lab)?;
    }
    let tools = find(lab)?;
    Ok(Outcome::Note(format!(
        "installed {}",
        tools.chromium.display()
    )))
}

/// Finds Vulkan with a device that it can run on, or installs a software one. Without it the GPU tests
/// say that they are skipped.
pub(crate) fn ensure_vulkan(lab: &Lab) -> Result<Outcome> {
    if !cfg!(target_os = "linux") {
        return Ok(Outcome::Note("the system's own".to_owned()));
    }
    if let Some(driver) = vulkan_driver() {
        return Ok(Outcome::Note(driver.display().to_string()));
    }
    if on_path("apt-get").is_none() {
        return Ok(Outcome::Note(
            "none, and no apt-get to install one: the GPU tests are skipped".to_owned(),
        ));
    }
    println!("  installing the packages libvulkan1 and mesa-vulkan-drivers with apt-get");
    install(lab, &["libvulkan1", "mesa-vulkan-drivers"])?;
    Ok(Outcome::Note("installed mesa-vulkan-drivers".to_owned()))
}

/// The manifest of a Vulkan driver.
fn vulkan_driver() -> Option<PathBuf> {
    let folders = [
        "/usr/share/vulkan/icd.d",
        "/etc/vulkan/icd.d",
        "/usr/local/share/vulkan/icd.d",
    ];
    let manifests = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    manifests
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .next()
}

/// Finds NVRTC, which compiles CUDA C on any computer, or downloads it from Python's package index.
/// Without it the tests of CUDA C say that they are skipped.
pub(crate) fn ensure_nvrtc(lab: &Lab) -> Result<Outcome> {
    let folder = lab.tools().join("nvrtc");
    let skipped = |why: &str| Outcome::Note(format!("{why}: the tests of CUDA C are skipped"));
    if folder.is_dir() {
        return Ok(Outcome::Note(folder.display().to_string()));
    }
    if cfg!(target_os = "macos") {
        return Ok(skipped("none for macOS"));
    }
    let Some(python) = ["python3", "python"].into_iter().find_map(on_path) else {
        return Ok(skipped("none, and no Python to download it with"));
    };
    println!(
        "  downloading the package nvidia-cuda-nvrtc to {}",
        folder.display()
    );
    let fresh = lab.tools().join("nvrtc-download");
    let _ = fs::remove_dir_all(&fresh);
    let mut download = step::command(&python, &lab.root);
    download
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
        .arg(&fresh)
        .arg("nvidia-cuda-nvrtc==13.*");
    if step::run(&mut download, "check the network and Python's pip").is_err() {
        return Ok(skipped("pip could not download it"));
    }
    for wheel in lab::files_below(&fresh)? {
        let mut unpack = step::command(&python, &lab.root);
        unpack.args(["-m", "zipfile", "-e"]).args([&wheel, &fresh]);
        step::run(&mut unpack, "remove the folder and run this again")?;
        fs::remove_file(&wheel).with_context(|| format!("cannot remove {}", wheel.display()))?;
    }
    fs::rename(&fresh, &folder)
        .with_context(|| format!("cannot move {} to its place", fresh.display()))?;
    Ok(Outcome::Note("downloaded nvidia-cuda-nvrtc".to_owned()))
}

/// The programs, when both are there.
pub(crate) fn find(lab: &Lab) -> Result<Tools> {
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    let chromium = from_environment("CHROMIUM")
        .or_else(|| names.iter().find_map(|name| on_path(name)))
        .or_else(|| {
            downloaded(
                lab,
                &[
                    "chrome",
                    "chrome.exe",
                    "Chromium",
                    "Google Chrome for Testing",
                ],
            )
        });
    let driver = from_environment("CHROMEDRIVER")
        .or_else(|| on_path("chromedriver"))
        .or_else(|| downloaded(lab, &["chromedriver", "chromedriver.exe"]));
    let shell = from_environment("CHROMIUM").or_else(|| on_path("chromium-headless-shell"));
    match (chromium, driver) {
        (Some(chromium), Some(driver)) => Ok(Tools {
            shell: shell.unwrap_or_else(|| chromium.clone()),
            chromium,
            driver,
        }),
        (None, _) => bail!("no Chromium: install it, or name it in the variable CHROMIUM"),
        (_, None) => bail!(
            "no chromedriver: install the one of your Chromium's version, or name it in the variable CHROMEDRIVER"
        ),
    }
}

fn from_environment(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_file())
}

/// A program on the PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

fn downloaded(lab: &Lab, names: &[&str]) -> Option<PathBuf> {
    let files = lab::files_below(&lab.tools().join("browsers")).ok()?;
    files.into_iter().find(|file| {
        file.file_name()
            .is_some_and(|name| names.iter().any(|wanted| name == *wanted))
    })
}

/// Installs packages.
fn install(lab: &Lab, packages: &[&str]) -> Result<()> {
    apt(lab, &["update", "--quiet"], packages)?;
    let mut arguments = vec!["install", "--yes", "--quiet", "--no-install-recommends"];
    arguments.extend(packages);
    apt(lab, &arguments, packages)
}

fn apt(lab: &Lab, arguments: &[&str], packages: &[&str]) -> Result<()> {
    let root = step::capture(step::command("id", &lab.root).arg("-u")).is_some_and(|id| id == "0");
    let mut command = step::command(if root { "apt-get" } else { "sudo" }, &lab.root);
    if !root {
        command.arg("apt-get");
    }
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive");
    step::run(
        &mut command,
        format!(
            "install it yourself: `apt-get install {}`",
            packages.join(" ")
        ),
    )
}

/// Both from the Chrome for Testing archive, in one version, through the npm package that manages
/// browsers for tests: on systems without apt.
fn download(lab: &Lab) -> Result<()> {
    let folder = lab.tools().join("browsers");
    println!(
        "  downloading Chromium and chromedriver to {}",
        folder.display()
    );
    for program in ["chrome@stable", "chromedriver@stable"] {
        let mut npx = step::command(if cfg!(windows) { "npx.cmd" } else { "npx" }, &lab.root);
        npx.args([
            "--yes",
            "@puppeteer/browsers@2",
            "install",
            program,
            "--path",
        ])
        .arg(&folder);
        step::run(
            &mut npx,
            "install Chromium and chromedriver yourself, and name them in CHROMIUM and CHROMEDRIVER",
        )?;
    }
    Ok(())
}

/// Sets the variables by which Cargo and the runner find everything.
pub(crate) fn configure_wasm_tests(lab: &Lab, tools: &Tools, cargo: &mut Command) -> Result<()> {
    let driver_settings = lab.work.join("webdriver.json");
    lab::write(&driver_settings, &webdriver(&tools.chromium)?)?;
    cargo
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
            bindgen::test_runner(lab),
        )
        .env("CHROMEDRIVER", &tools.driver)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", &driver_settings)
        .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60")
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300");
    Ok(())
}

fn webdriver(chromium: &Path) -> Result<Vec<u8>> {
    let json = serde_json::json!({
        "goog:chromeOptions": { "binary": chromium.to_string_lossy(), "args": FLAGS }
    });
    serde_json::to_vec(&json).context("the driver's settings cannot be written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::Scratch;

    #[test]
    fn a_downloaded_browser_is_found_by_name() {
        let scratch = Scratch::new("browser");
        let lab = Lab {
            root: scratch.0.clone(),
            target: scratch.0.clone(),
            work: scratch.0.clone(),
        };
        assert_eq!(downloaded(&lab, &["chrome"]), None);
        let path = scratch.file("tools/browsers/chrome/linux-1/chrome-linux64/chrome", "");
        scratch.file(
            "tools/browsers/chrome/linux-1/chrome-linux64/chrome_100.pak",
            "",
        );
        assert_eq!(downloaded(&lab, &["chrome"]), Some(path));
    }

    #[test]
    fn the_driver_gets_the_browser_and_its_flags() {
        let json: serde_json::Value =
            serde_json::from_slice(&webdriver(Path::new("bin/chromium")).unwrap()).unwrap();
        assert_eq!(json["goog:chromeOptions"]["binary"], "bin/chromium");
        assert_eq!(
            json["goog:chromeOptions"]["args"].as_array().unwrap().len(),
            FLAGS.len()
        );
    }
}
