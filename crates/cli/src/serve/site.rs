//! The built site, in memory.
//!
//! Invariant: a file is found by the exact text of its address. Nothing is decoded and no path is put
//! together from what was asked, so that there is no way out of the site. What the page is told of this
//! server is a `<meta>` in its HTML, which no link can put there.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use axum::body::Bytes;

/// After this the page is told who serves it.
const CHARSET: &str = "<meta charset=\"utf-8\" />";
const TOLD: &str = "<meta charset=\"utf-8\" />\n    <meta name=\"glow-lab\" content=\"1\" />";

/// In place of the worker for offline use: takes away one that another server left at this address.
const NO_WORKER: &str = "self.addEventListener(\"install\", () => self.skipWaiting());
self.addEventListener(\"activate\", (event) => {
  const reload = (pages) => Promise.all(pages.map((page) => page.navigate(page.url)));
  event.waitUntil(self.registration.unregister().then(() => self.clients.matchAll()).then(reload));
});
";

/// Files by address.
pub(crate) struct Site(HashMap<String, File>);

/// What is sent for an address.
pub(crate) struct File {
    pub(crate) kind: &'static str,
    /// Its name has a hash of what is in it, so it never changes.
    pub(crate) lasts: bool,
    pub(crate) bytes: Bytes,
}

impl Site {
    /// The site in that folder; else the one that was built in; else the one of the checkout around the
    /// current directory.
    pub(crate) fn find(folder: Option<&Path>) -> Result<Site> {
        if let Some(folder) = folder {
            return Site::read(folder);
        }
        #[cfg(feature = "site")]
        return Site::new(embedded::files());
        #[cfg(not(feature = "site"))]
        match checkout() {
            Some(root) => Site::read(&root.join("dist")),
            None => bail!(
                "no site here: run it inside a glowgrad checkout, or name a built site with `--site FOLDER`"
            ),
        }
    }

    fn read(folder: &Path) -> Result<Site> {
        if !folder.join("index.html").is_file() {
            bail!(
                "no built site in {}: run `cargo lab build` first",
                folder.display()
            );
        }
        let mut files = Vec::new();
        collect(folder, "/", &mut files)
            .with_context(|| format!("cannot read {}", folder.display()))?;
        Site::new(files)
    }

    fn new(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Site> {
        let mut site = HashMap::new();
        for (address, bytes) in files {
            let file = File {
                kind: content_type(&address),
                lasts: address.starts_with("/assets/"),
                bytes: bytes.into(),
            };
            site.insert(address, file);
        }
        let Some(mut page) = site.remove("/index.html") else {
            bail!("the site has no index.html: run `cargo lab build` again");
        };
        let html = String::from_utf8_lossy(&page.bytes).replacen(CHARSET, TOLD, 1);
        page.bytes = html.into_bytes().into();
        site.insert("/".to_owned(), page);
        if let Some(worker) = site.get_mut("/offline.js") {
            worker.bytes = Bytes::from_static(NO_WORKER.as_bytes());
        }
        Ok(Site(site))
    }

    pub(crate) fn file(&self, address: &str) -> Option<&File> {
        self.0.get(address)
    }
}

/// The checkout that the current directory lies in.
#[cfg(not(feature = "site"))]
fn checkout() -> Option<std::path::PathBuf> {
    let here = std::env::current_dir().ok()?;
    let root = here
        .ancestors()
        .find(|path| path.join("crates/cli").is_dir());
    root.map(Path::to_owned)
}

/// Every plain file below a folder; links are left alone.
fn collect(
    folder: &Path,
    address: &str,
    files: &mut Vec<(String, Vec<u8>)>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            collect(&path, &format!("{address}{name}/"), files)?;
        } else if kind.is_file() {
            files.push((format!("{address}{name}"), fs::read(path)?));
        }
    }
    Ok(())
}

#[cfg(feature = "site")]
mod embedded {
    //! `dist/` as it was when this program was compiled.

    use rust_embed::RustEmbed;

    #[derive(RustEmbed)]
    #[folder = "../../dist"]
    struct Dist;

    pub(super) fn files() -> impl Iterator<Item = (String, Vec<u8>)> {
        Dist::iter().filter_map(|name| {
            let file = Dist::get(&name)?;
            Some((format!("/{name}"), file.data.into_owned()))
        })
    }
}

fn content_type(address: &str) -> &'static str {
    match address.rsplit('.').next().unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        Site::new([
            file(
                "/index.html",
                "<head>\n    <meta charset=\"utf-8\" />\n  </head>",
            ),
            file("/offline.js", "keep()"),
            file("/assets/engine-1.wasm", "wasm"),
        ])
        .unwrap()
    }

    #[test]
    fn the_page_is_told_who_serves_it() {
        let site = site();
        let page = site.file("/").unwrap();
        let html = String::from_utf8_lossy(&page.bytes);
        assert!(
            html.contains("<meta name=\"glow-lab\" content=\"1\" />"),
            "{html}"
        );
        assert!(!page.lasts);
        assert!(site.file("/index.html").is_none());
    }

    #[test]
    fn the_worker_for_offline_use_takes_itself_away() {
        let site = site();
        let worker = site.file("/offline.js").unwrap();
        assert!(String::from_utf8_lossy(&worker.bytes).contains("unregister"));
        assert!(!worker.lasts);
    }

    #[test]
    fn a_module_is_wasm_and_never_changes() {
        let site = site();
        let module = site.file("/assets/engine-1.wasm").unwrap();
        assert_eq!((module.kind, module.lasts), ("application/wasm", true));
    }

    #[test]
    fn a_folder_without_a_page_is_no_site() {
        let error = Site::find(Some(Path::new("nowhere"))).err().unwrap();
        assert_eq!(
            error.to_string(),
            "no built site in nowhere: run `cargo lab build` first"
        );
    }
}
