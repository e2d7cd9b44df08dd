//! The site as a static host would serve it.
//!
//! Invariants: it listens on 127.0.0.1 only, and answers only from the site's folder, whatever path is asked
//! for; it compresses what hosts compress and says how long the answer is, so that bytes on the wire are those of a
//! deployed site; it sets no header the page could come to depend on beyond type, caching and length.

use std::collections::HashMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Response, StatusCode, header};
use axum::routing::get;
use percent_encoding::percent_decode_str;

use crate::lab::Fingerprint;
use crate::sizes;

/// The port `cargo lab` tries first.
const PORT: u16 = 4173;

const TEXT: &str = "text/plain; charset=utf-8";

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
    bytes: Bytes,
    gzip: Option<Bytes>,
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
            Some(port) => bind(port)?,
            None => bind(PORT).or_else(|_| bind(0))?,
        };
        listener.set_nonblocking(true)?;
        let url = format!("http://{}{}", listener.local_addr()?, self.prefix);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let site = Router::new().fallback_service(get(respond).with_state(Arc::new(self)));
        thread::spawn(move || {
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                axum::serve(listener, site).await
            })
        });
        Ok(url)
    }

    /// What is sent for a path, or for a tag of what the client has already.
    fn answer(&self, path: &str, request: &HeaderMap) -> Response<Bytes> {
        let known = self
            .resolve(path)
            .and_then(|path| Some((self.load(&path)?, path)));
        let Some((file, path)) = known else {
            return of(
                StatusCode::NOT_FOUND,
                &[(header::CONTENT_TYPE, TEXT)],
                "not found".into(),
            );
        };
        let said = |name: HeaderName| request.get(name).and_then(|value| value.to_str().ok());
        let mut headers = vec![
            (header::CONTENT_TYPE, content_type(&path)),
            (header::ETAG, &file.tag),
            (header::CACHE_CONTROL, cache_control(&path)),
        ];
        if said(header::IF_NONE_MATCH) == Some(&file.tag) {
            return of(StatusCode::NOT_MODIFIED, &headers, Bytes::new());
        }
        headers.push((header::VARY, "Accept-Encoding"));
        let accepts_gzip =
            said(header::ACCEPT_ENCODING).is_some_and(|value| value.contains("gzip"));
        let body = match &file.gzip {
            Some(gzip) if accepts_gzip => {
                headers.push((header::CONTENT_ENCODING, "gzip"));
                gzip
            }
            _ => &file.bytes,
        };
        of(StatusCode::OK, &headers, body.clone())
    }

    /// The file that a URL names, if it lies in the site: no name may climb out of it.
    fn resolve(&self, path: &str) -> Option<PathBuf> {
        let relative = percent_decode_str(path.strip_prefix(&self.prefix)?);
        let relative = relative.decode_utf8().ok()?;
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
        let gzip = sizes::is_compressible(path).then(|| sizes::gzip(&bytes).into());
        let file = Arc::new(File {
            modified,
            tag,
            bytes: bytes.into(),
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

/// Binds a port of this machine; 0 is any free one.
fn bind(port: u16) -> Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).with_context(|| {
        format!("cannot listen on 127.0.0.1:{port}: choose another port with `--port N`")
    })
}

async fn respond(State(site): State<Arc<Site>>, request: Request) -> Response<Body> {
    // A large file takes a while to compress, and must not hold up the others.
    let answer = move || site.answer(request.uri().path(), request.headers());
    let failed = |_| of(StatusCode::INTERNAL_SERVER_ERROR, &[], Bytes::new());
    let answer = tokio::task::spawn_blocking(answer).await;
    answer.unwrap_or_else(failed).map(Body::from)
}

fn of(status: StatusCode, headers: &[(HeaderName, &str)], body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in headers {
        let value = value.parse().expect("types and tags are plain ASCII");
        response.headers_mut().insert(name, value);
    }
    response
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
        "txt" | "md" | "py" => TEXT,
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
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;
    use crate::lab::tests::Scratch;

    fn site(scratch: &Scratch, prefix: &str) -> Site {
        scratch.file("dist/index.html", "<title>lab</title>");
        scratch.file("dist/assets/engine-1.wasm", vec![0; 4096]);
        scratch.file("dist/assets/serif.woff2", "font");
        scratch.file("secret", "not of the site");
        Site::new(scratch.0.join("dist"), prefix)
    }

    fn ask(site: &Site, path: &str, header: Option<(HeaderName, &str)>) -> Response<Bytes> {
        let header = header.map(|(name, value)| (name, value.parse().unwrap()));
        site.answer(path, &header.into_iter().collect())
    }

    const GZIP: Option<(HeaderName, &str)> = Some((header::ACCEPT_ENCODING, "br, gzip"));

    fn header(answer: &Response<Bytes>, name: HeaderName) -> &str {
        let value = answer.headers().get(name);
        value.map_or("none", |value| value.to_str().unwrap())
    }

    #[test]
    fn a_module_is_wasm_compressed_and_kept_for_good() {
        let scratch = Scratch::new("serve-wasm");
        let site = site(&scratch, "/");
        let answer = ask(&site, "/assets/engine-1.wasm", GZIP);
        assert_eq!(answer.status(), 200);
        assert_eq!(header(&answer, header::CONTENT_TYPE), "application/wasm");
        assert_eq!(header(&answer, header::CONTENT_ENCODING), "gzip");
        assert!(header(&answer, header::CACHE_CONTROL).contains("immutable"));
        assert!(answer.body().len() < 100);
        let plain = ask(&site, "/assets/engine-1.wasm", None);
        assert_eq!(plain.body().len(), 4096);
        assert_eq!(header(&plain, header::CONTENT_ENCODING), "none");
        let font = ask(&site, "/assets/serif.woff2", GZIP);
        assert_eq!(&font.body()[..], b"font");
        assert_eq!(header(&font, header::CONTENT_ENCODING), "none");
    }

    #[test]
    fn the_page_is_asked_for_again_and_known_by_its_tag() {
        let scratch = Scratch::new("serve-tag");
        let site = site(&scratch, "/");
        let answer = ask(&site, "/", GZIP);
        assert_eq!(header(&answer, header::CACHE_CONTROL), "no-cache");
        let known = Some((header::IF_NONE_MATCH, header(&answer, header::ETAG)));
        assert_eq!(ask(&site, "/index.html", known.clone()).status(), 304);
        scratch.file("dist/index.html", "<title>a longer lab</title>");
        // Whether or not the clock of the file system ticked between the two writes.
        site.files().clear();
        assert_eq!(ask(&site, "/", known).status(), 200);
    }

    /// A browser that kept an old worker would keep an old site.
    #[test]
    fn the_worker_for_offline_is_a_script_that_is_asked_for_again() {
        let scratch = Scratch::new("serve-worker");
        let site = site(&scratch, "/some/path/");
        scratch.file("dist/offline.js", "self");
        let answer = ask(&site, "/some/path/offline.js", GZIP);
        assert_eq!(header(&answer, header::CACHE_CONTROL), "no-cache");
        let kind = header(&answer, header::CONTENT_TYPE);
        assert_eq!(kind, "text/javascript; charset=utf-8");
        // Its scope is the folder it stands in: no header has to widen it.
        let allowed = HeaderName::from_static("service-worker-allowed");
        assert_eq!(header(&answer, allowed), "none");
    }

    #[test]
    fn no_path_leaves_the_site() {
        let scratch = Scratch::new("serve-escape");
        let site = site(&scratch, "/");
        for path in [
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
            assert_eq!(ask(&site, path, GZIP).status(), 404, "{path}");
        }
    }

    #[test]
    fn a_site_below_a_path_answers_there_only() {
        let scratch = Scratch::new("serve-prefix");
        let site = site(&scratch, "/some/path/");
        assert_eq!(ask(&site, "/some/path/", GZIP).status(), 200);
        assert_eq!(ask(&site, "/", GZIP).status(), 404);
    }

    /// What a started site says to these bytes until it closes the connection, in lower case.
    fn said(stream: &mut TcpStream, bytes: &str) -> String {
        let patience = Some(Duration::from_secs(10));
        stream.set_read_timeout(patience).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text.to_lowercase()
    }

    #[test]
    fn requests_follow_each_other_and_a_silent_connection_holds_up_none() {
        let scratch = Scratch::new("serve-socket");
        let url = site(&scratch, "/").start(Some(0)).unwrap();
        let address = url.trim_start_matches("http://").trim_end_matches('/');
        let silent = (0..40).map(|_| TcpStream::connect(address).unwrap());
        let mut connections: Vec<TcpStream> = silent.collect();
        let text = said(
            &mut connections[39],
            "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\n\r\n\
             GET /?q HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        );
        let answers: Vec<&str> = text.split("http/1.1 ").collect();
        assert_eq!(answers.len(), 4, "{text}");
        assert!(answers[1].starts_with("200") && answers[1].ends_with("\r\n\r\n"));
        assert!(answers[2].starts_with("405"));
        assert!(answers[3].starts_with("200") && answers[3].ends_with("<title>lab</title>"));
        for answer in [answers[1], answers[3]] {
            assert!(answer.contains("content-length: 18\r\n"), "{answer}");
        }
        let text = said(&mut connections[38], "hello\r\n\r\n");
        assert!(text.starts_with("http/1.1 400"), "{text}");
    }
}
