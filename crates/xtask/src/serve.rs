//! The site as a static host would serve it.
//!
//! Invariants: it answers only from the site's folder, whatever path is asked for; it compresses
//! what hosts compress, so that bytes on the wire are those of a deployed site; it sets no header
//! the page could come to depend on beyond type, caching and length.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::Result;

use crate::http::{self, Answer, Request};
use crate::lab::Fingerprint;
use crate::sizes;

/// The port `cargo lab` tries first.
const PORT: u16 = 4173;

/// A folder, and the path of the address below which it is served.
pub(crate) struct Site {
    root: PathBuf,
    prefix: String,
    files: Mutex<HashMap<PathBuf, Arc<File>>>,
}

/// A file in memory.
struct File {
    modified: Option<SystemTime>,
    tag: String,
    bytes: Vec<u8>,
    gzip: Option<Vec<u8>>,
}

impl Site {
    /// `prefix` is `/`, or `/some/path/`.
    pub(crate) fn new(root: PathBuf, prefix: &str) -> Site {
        Site {
            root,
            prefix: prefix.to_owned(),
            files: Mutex::new(HashMap::new()),
        }
    }

    /// Starts to answer, in the background, and returns the address. With no port given, takes the
    /// usual one or else a free one; port 0 is any free one.
    pub(crate) fn start(self, port: Option<u16>) -> Result<String> {
        let listener = match port {
            Some(port) => http::bind(port)?,
            None => http::bind(PORT).or_else(|_| http::bind(0))?,
        };
        let url = format!(
            "http://127.0.0.1:{}{}",
            listener.local_addr()?.port(),
            self.prefix
        );
        http::listen(listener, move |request| self.respond(request));
        Ok(url)
    }

    fn respond(&self, request: &Request) -> Answer {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return plain(405, "only GET and HEAD are answered here");
        }
        let accepts_gzip = request
            .header("accept-encoding")
            .is_some_and(|value| value.contains("gzip"));
        self.answer(
            &request.target,
            accepts_gzip,
            request.header("if-none-match"),
        )
    }

    fn answer(&self, url: &str, accepts_gzip: bool, known: Option<&str>) -> Answer {
        let Some(path) = self.resolve(url) else {
            return plain(404, "not found");
        };
        let Some(file) = self.load(&path) else {
            return plain(404, "not found");
        };
        let mut headers = vec![
            ("Content-Type", content_type(&path).to_owned()),
            ("ETag", file.tag.clone()),
            ("Cache-Control", cache_control(&path).to_owned()),
        ];
        if known == Some(&file.tag) {
            return Answer {
                status: 304,
                headers,
                body: Vec::new(),
            };
        }
        let body = match &file.gzip {
            Some(gzip) if accepts_gzip => {
                headers.push(("Content-Encoding", "gzip".to_owned()));
                gzip.clone()
            }
            _ => file.bytes.clone(),
        };
        headers.push(("Vary", "Accept-Encoding".to_owned()));
        Answer {
            status: 200,
            headers,
            body,
        }
    }

    /// The file that a URL names, if it lies in the site: no name may climb out of it.
    fn resolve(&self, url: &str) -> Option<PathBuf> {
        let path = url.split(['?', '#']).next().unwrap_or("");
        let relative = decode(path.strip_prefix(&self.prefix)?)?;
        let mut file = self.root.clone();
        for part in relative.split('/').filter(|part| !part.is_empty()) {
            if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
                return None;
            }
            file.push(part);
        }
        Some(if file.is_dir() {
            file.join("index.html")
        } else {
            file
        })
    }

    fn load(&self, path: &Path) -> Option<Arc<File>> {
        let modified = fs::metadata(path).ok()?.modified().ok();
        let known = self.files().get(path).cloned();
        if let Some(file) = known.filter(|file| file.modified == modified) {
            return Some(file);
        }
        let bytes = fs::read(path).ok()?;
        let tag = format!("\"{:016x}\"", Fingerprint::default().bytes(&bytes).finish());
        let gzip = sizes::is_compressible(path).then(|| sizes::gzip(&bytes));
        let file = Arc::new(File {
            modified,
            tag,
            bytes,
            gzip,
        });
        self.files().insert(path.to_owned(), Arc::clone(&file));
        Some(file)
    }

    fn files(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<File>>> {
        // The map is whole between any two operations, so a poisoned lock is as good as another.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn plain(status: u16, text: &str) -> Answer {
    let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
    Answer {
        status,
        headers,
        body: text.as_bytes().to_vec(),
    }
}

/// `%20` → a space; none where the escapes or the bytes are not sound.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let hex = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = rest.get(2..)?;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn content_type(path: &Path) -> &'static str {
    match path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("")
    {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        "txt" | "md" | "py" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Names under `assets/` carry a hash of what is in them, so they never change.
fn cache_control(path: &Path) -> &'static str {
    let hashed = path
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|folder| folder == "assets");
    if hashed {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::Scratch;

    fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
        answer
            .headers
            .iter()
            .find(|(header, _)| *header == name)
            .map(|(_, value)| value.as_str())
    }

    fn site(scratch: &Scratch, prefix: &str) -> Site {
        scratch.file("dist/index.html", "<title>lab</title>");
        scratch.file("dist/assets/engine-1.wasm", vec![0; 4096]);
        scratch.file("dist/assets/serif.woff2", "font");
        scratch.file("secret", "not of the site");
        Site::new(scratch.0.join("dist"), prefix)
    }

    #[test]
    fn a_module_is_wasm_compressed_and_kept_for_good() {
        let scratch = Scratch::new("serve-wasm");
        let site = site(&scratch, "/");
        let answer = site.answer("/assets/engine-1.wasm?x=1", true, None);
        assert_eq!(answer.status, 200);
        assert_eq!(header(&answer, "Content-Type"), Some("application/wasm"));
        assert_eq!(header(&answer, "Content-Encoding"), Some("gzip"));
        assert!(
            header(&answer, "Cache-Control")
                .unwrap()
                .contains("immutable")
        );
        assert!(answer.body.len() < 100);
        let plain = site.answer("/assets/engine-1.wasm", false, None);
        assert_eq!(
            (plain.body.len(), header(&plain, "Content-Encoding")),
            (4096, None)
        );
        let font = site.answer("/assets/serif.woff2", true, None);
        assert_eq!(
            (&font.body[..], header(&font, "Content-Encoding")),
            (&b"font"[..], None)
        );
    }

    #[test]
    fn the_page_is_asked_for_again_and_known_by_its_tag() {
        let scratch = Scratch::new("serve-tag");
        let site = site(&scratch, "/");
        let answer = site.answer("/", true, None);
        assert_eq!(header(&answer, "Cache-Control"), Some("no-cache"));
        let tag = header(&answer, "ETag").unwrap().to_owned();
        assert_eq!(site.answer("/index.html", true, Some(&tag)).status, 304);
        scratch.file("dist/index.html", "<title>a longer lab</title>");
        // Whether or not the clock of the file system ticked between the two writes.
        site.files().clear();
        assert_eq!(site.answer("/", true, Some(&tag)).status, 200);
    }

    /// A browser that kept an old worker would keep an old site.
    #[test]
    fn the_worker_for_offline_is_a_script_that_is_asked_for_again() {
        let scratch = Scratch::new("serve-worker");
        let site = site(&scratch, "/some/path/");
        scratch.file("dist/offline.js", "self");
        let answer = site.answer("/some/path/offline.js", true, None);
        assert_eq!(header(&answer, "Cache-Control"), Some("no-cache"));
        assert_eq!(
            header(&answer, "Content-Type"),
            Some("text/javascript; charset=utf-8")
        );
        // Its scope is the folder it stands in: no header has to widen it.
        assert_eq!(header(&answer, "Service-Worker-Allowed"), None);
    }

    #[test]
    fn no_path_leaves_the_site() {
        let scratch = Scratch::new("serve-escape");
        let site = site(&scratch, "/");
        for url in [
            "/../secret",
            "/%2e%2e/secret",
            "/assets/..%2f..%2fsecret",
            "/..\\secret",
            "/%",
            "/%ff",
            "/absent",
            "secret",
            "",
        ] {
            assert_eq!(site.answer(url, true, None).status, 404, "{url}");
        }
    }

    #[test]
    fn a_site_below_a_path_answers_there_only() {
        let scratch = Scratch::new("serve-prefix");
        let site = site(&scratch, "/some/path/");
        assert_eq!(site.answer("/some/path/", true, None).status, 200);
        assert_eq!(site.answer("/", true, None).status, 404);
    }

    #[test]
    fn a_started_site_answers_over_a_socket() {
        use std::io::{Read, Write};
        let scratch = Scratch::new("serve-socket");
        let url = site(&scratch, "/").start(Some(0)).unwrap();
        let address = url.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(
            text.starts_with("HTTP/1.1 200") && text.ends_with("<title>lab</title>"),
            "{text}"
        );
        assert!(text.to_lowercase().contains("content-length: 18"), "{text}");
    }
}
