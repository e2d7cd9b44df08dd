//! `glow lab` as a program of its own, and what a client says to it: bytes over a socket.

#![allow(dead_code, reason = "some of it is for tests that run on Linux alone")]

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Stands in the page, and in a file beside the site.
pub(crate) const SECRET: &str = "what is not for everybody";

/// What the last event of a command begins with, in CBOR.
pub(crate) const DONE: &str = "dtypeddone";

pub(crate) struct Server {
    pub(crate) process: Child,
    /// Kept open: a program that prints into a closed pipe ends.
    _output: BufReader<ChildStdout>,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Server {
    /// A site of three files, with a secret one beside it.
    pub(crate) fn start(name: &str) -> Server {
        Server::start_with(name, &[])
    }

    pub(crate) fn start_with(name: &str, options: &[&str]) -> Server {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let site = folder.join("site");
        fs::create_dir_all(site.join("assets")).expect("the build folder is writable");
        let write = |path: &Path, text: &str| fs::write(path, text).expect("it is writable");
        write(&folder.join("secret.txt"), SECRET);
        write(
            &site.join("index.html"),
            &format!("<meta charset=\"utf-8\" /><p>{SECRET}"),
        );
        write(&site.join("offline.js"), SECRET);
        write(&site.join("assets/app-1.js"), SECRET);
        let mut process = Command::new(env!("CARGO_BIN_EXE_glow"))
            .args(["lab", "--no-open", "--port", "0", "--site"])
            .arg(&site)
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("glow starts");
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        output.read_line(&mut line).expect("it says where it is");
        let address = line.trim().strip_prefix("The lab is at http://127.0.0.1:");
        let (port, token) = address
            .and_then(|rest| rest.split_once("/#token="))
            .unwrap_or_else(|| panic!("no address in {line:?}"));
        Server {
            process,
            _output: output,
            port: port.parse().expect("a port"),
            token: token.to_owned(),
        }
    }

    /// Sends bytes and reads until the server hangs up or has said nothing for a while.
    pub(crate) fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may hang up before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let patience = Some(Duration::from_secs(5));
        stream
            .set_read_timeout(patience)
            .expect("a socket takes a time");
        stream
    }

    pub(crate) fn get(&self, target: &str) -> String {
        let own = format!("Host: 127.0.0.1:{}\r\n", self.port);
        self.say(&request(&format!("GET {target} HTTP/1.1"), &own))
    }

    /// The processes of its sessions, and the state of each as the system writes it: `Z` is one that has
    /// ended and that the server has not waited for.
    #[cfg(target_os = "linux")]
    pub(crate) fn children(&self) -> Vec<(u32, char)> {
        let own = self.process.id().to_string();
        let mut children = Vec::new();
        for entry in fs::read_dir("/proc").expect("Linux").flatten() {
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // The name in parentheses may hold anything.
            let Some((start, rest)) = stat.rsplit_once(')') else {
                continue;
            };
            let mut fields = rest.split_whitespace();
            let (state, parent) = (fields.next(), fields.next());
            if let (Some(state), Some(true)) = (state, parent.map(|parent| parent == own)) {
                let id = start.split_whitespace().next().unwrap_or_default();
                let id = id.parse().expect("a process has a number");
                children.push((id, state.chars().next().unwrap_or('?')));
            }
        }
        children
    }

    /// A request for a session, right but for what is given.
    pub(crate) fn upgrade(&self, changes: &Upgrade) -> Vec<u8> {
        let own = format!("127.0.0.1:{}", self.port);
        let host = changes.host.clone().unwrap_or_else(|| own.clone());
        let origin = match &changes.origin {
            None => format!("Origin: http://{own}\r\n"),
            Some(origin) if origin.is_empty() => String::new(),
            Some(origin) => format!("Origin: {origin}\r\n"),
        };
        let query = match &changes.query {
            None => format!("?token={}", self.token),
            Some(query) => query.clone(),
        };
        format!(
            "GET /session{query} HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        .into_bytes()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What is wrong with a request for a session; none is right. An empty origin is left out.
#[derive(Default)]
pub(crate) struct Upgrade {
    pub(crate) host: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) query: Option<String>,
}

pub(crate) fn request(first: &str, headers: &str) -> Vec<u8> {
    format!("{first}\r\n{headers}Connection: close\r\n\r\n").into_bytes()
}

/// A frame from a client: its first byte, and how long it says that its payload is.
pub(crate) fn frame(first: u8, length: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first, 0xff];
    bytes.extend(length.to_be_bytes());
    // A mask of zeros changes nothing.
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

pub(crate) fn text(payload: &str) -> Vec<u8> {
    frame(0x81, payload.len() as u64, payload.as_bytes())
}

/// A socket after its upgrade.
pub(crate) struct Session {
    pub(crate) stream: TcpStream,
    pub(crate) got: Vec<u8>,
}

impl Session {
    pub(crate) fn open(server: &Server) -> Session {
        let mut stream = server.connect();
        let patience = Some(Duration::from_secs(30));
        stream
            .set_read_timeout(patience)
            .expect("a socket takes a time");
        stream
            .write_all(&server.upgrade(&Upgrade::default()))
            .expect("it reads");
        let mut session = Session {
            stream,
            got: Vec::new(),
        };
        assert!(session.reads("101 Switching Protocols"));
        assert!(session.reads("\r\n\r\n"));
        session
    }

    pub(crate) fn send(&mut self, command: &str) {
        self.stream
            .write_all(&text(command))
            .expect("the session is there");
    }

    /// Sends a command to a session that may have ended.
    pub(crate) fn tries(&mut self, command: &str) -> bool {
        self.stream.write_all(&text(command)).is_ok()
    }

    /// Reads until these words have come, which stand as they are in CBOR; then goes on after them.
    pub(crate) fn reads(&mut self, words: &str) -> bool {
        let mut bytes = [0; 4096];
        loop {
            let found = self
                .got
                .windows(words.len())
                .position(|part| part == words.as_bytes());
            if let Some(at) = found {
                self.got.drain(..at + words.len());
                return true;
            }
            match self.stream.read(&mut bytes) {
                Ok(length @ 1..) => self.got.extend(&bytes[..length]),
                _ => return false,
            }
        }
    }

    /// Runs a cell to its end.
    pub(crate) fn runs(&mut self, source: &str) -> bool {
        self.begins(source);
        self.reads(DONE)
    }

    /// Sends a cell and waits for nothing.
    pub(crate) fn begins(&mut self, source: &str) {
        let source = source.replace('"', "\\\"").replace('\n', "\\n");
        // One that has ended says so when it is read.
        self.tries(&format!(
            r#"{{"type":"runCell","id":1,"cell":"a","source":"{source}"}}"#
        ));
    }

    /// Whether the server hangs up.
    pub(crate) fn is_closed(&mut self) -> bool {
        match self.stream.read_to_end(&mut self.got) {
            Ok(_) => true,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }
}
