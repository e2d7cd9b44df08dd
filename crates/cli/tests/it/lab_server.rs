//! `glow lab` against those it is not for: what foreign pages, other programs and broken clients send.
//!
//! Every hostile request is bytes over a socket of its own. Each must get no content and no session; in
//! the end the server answers the right request as before.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::server::{SECRET, Server, Session, Upgrade, frame, request};

/// Neither content nor a session.
fn assert_nothing(name: &str, answer: &str) {
    let status = answer.split_whitespace().nth(1).unwrap_or("");
    assert!(
        matches!(
            status,
            "" | "400" | "403" | "404" | "405" | "408" | "414" | "431" | "505"
        ),
        "{name}: {answer}"
    );
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    assert_eq!(body, "", "{name}");
    assert!(!answer.contains(SECRET), "{name}: {answer}");
}

#[test]
fn hostile_requests_get_nothing() {
    let server = Server::start("hostile");
    let port = server.port;
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let mut requests: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>| requests.push((name.to_owned(), bytes));

    // Names that a browser was made to believe are this computer.
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1:{port}.evil.example"),
        format!("evil.example@127.0.0.1:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::1]:{port}"),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        String::new(),
    ] {
        let headers = format!("Host: {host}\r\n");
        add(
            &format!("host {host:?}"),
            request("GET / HTTP/1.1", &headers),
        );
    }
    add("no host", request("GET / HTTP/1.1", ""));
    add("no host, as once", request("GET / HTTP/1.0", ""));
    let twice = format!("{own}Host: evil.example\r\n");
    add("two hosts", request("GET / HTTP/1.1", &twice));
    add(
        "the same host twice",
        request("GET / HTTP/1.1", &own.repeat(2)),
    );

    // As to a proxy.
    for target in [
        "http://evil.example/".to_owned(),
        format!("http://127.0.0.1:{port}/"),
        "file:///etc/passwd".to_owned(),
    ] {
        add(&target, request(&format!("GET {target} HTTP/1.1"), &own));
    }
    add(
        "connect",
        request(&format!("CONNECT 127.0.0.1:{port} HTTP/1.1"), &own),
    );

    // Ways out of the site, and around in it.
    for path in [
        "/../secret.txt",
        "/../../Cargo.toml",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/%252e%252e%252fsecret.txt",
        "/assets/../../secret.txt",
        "/assets/..%5c..%5csecret.txt",
        "/..\\secret.txt",
        "/....//secret.txt",
        "/..;/secret.txt",
        "//secret.txt",
        "//etc/passwd",
        "/etc/passwd",
        "/C:/Windows/win.ini",
        "/%00",
        "/index.html%00.js",
        "/assets/",
        "/assets",
        "/./index.html",
        "/%c0%ae%c0%ae/secret.txt",
        "/.git/config",
    ] {
        add(path, request(&format!("GET {path} HTTP/1.1"), &own));
    }
    add("a NUL", request("GET /\0 HTTP/1.1", &own));

    // Methods, and what is not HTTP as it should be.
    for method in [
        "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "DANCE",
    ] {
        add(method, request(&format!("{method} / HTTP/1.1"), &own));
    }
    add("a star", request("OPTIONS * HTTP/1.1", &own));
    add(
        "HTTP/2 at once",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
    );
    add("HTTP/3.7", request("GET / HTTP/3.7", &own));
    add(
        "TLS",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".repeat(40),
    );
    add("words", b"hello\r\n\r\n".to_vec());
    let long = format!("GET /{} HTTP/1.1", "a".repeat(100_000));
    add("a long address", request(&long, &own));
    let large = format!("{own}X: {}\r\n", "a".repeat(100_000));
    add("a large header", request("GET / HTTP/1.1", &large));
    let many = format!("{own}{}", "X: y\r\n".repeat(500));
    add("many headers", request("GET / HTTP/1.1", &many));
    let two = format!("{own}Content-Length: 1\r\nContent-Length: 2\r\n");
    add("two lengths", request("GET / HTTP/1.1", &two));

    // Sessions for those who are not the page.
    let mut session = |name: String, changes: Upgrade| add(&name, server.upgrade(&changes));
    for origin in [
        "",
        "null",
        "https://evil.example",
        "http://evil.example",
        &format!("https://127.0.0.1:{port}"),
        &format!("http://localhost:{port}"),
        "http://127.0.0.1",
        &format!("http://127.0.0.1:{port}.evil.example"),
        &format!("http://127.0.0.1:{port}/"),
        "file://",
    ] {
        let origin = Some(origin.to_owned());
        session(
            format!("origin {origin:?}"),
            Upgrade {
                origin,
                ..Upgrade::default()
            },
        );
    }
    let token = &server.token;
    for query in [
        String::new(),
        "?".to_owned(),
        "?token".to_owned(),
        "?token=".to_owned(),
        format!("?token={}", &token[..31]),
        format!("?token={token}0"),
        format!("?token={}", "0".repeat(32)),
        format!(
            "?token={}",
            token
                .to_uppercase()
                .replace(|c: char| c.is_ascii_digit(), "A")
        ),
        format!("?token=&token={token}"),
        format!("?TOKEN={token}"),
        format!("?token=%{:02x}{}", token.as_bytes()[0], &token[1..]),
        format!("?x=1&token={token}"),
    ] {
        let name = format!("query {query}");
        let query = Some(query);
        session(
            name,
            Upgrade {
                query,
                ..Upgrade::default()
            },
        );
    }
    let rebound = format!("evil.example:{port}");
    session(
        "a name of its own, by all three".to_owned(),
        Upgrade {
            origin: Some(format!("http://{rebound}")),
            host: Some(rebound),
            query: None,
        },
    );
    let origin = format!("{own}Origin: http://127.0.0.1:{port}\r\n");
    let target = format!("/session?token={token}");
    add(
        "no upgrade",
        request(&format!("GET {target} HTTP/1.1"), &origin),
    );
    add("an upgrade by POST", {
        let bytes = server.upgrade(&Upgrade::default());
        [&b"POST"[..], &bytes[3..]].concat()
    });

    assert!(requests.len() >= 52, "{} requests", requests.len());
    for (name, bytes) in &requests {
        assert_nothing(name, &server.say(bytes));
    }

    // Connections that are opened and say nothing, or not everything, do not delay the page.
    let silent: Vec<_> = (0..60)
        .map(|n| {
            let mut stream = server.connect();
            if n % 2 == 0 {
                let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
            }
            stream
        })
        .collect();
    assert!(server.get("/").ends_with(&format!("<p>{SECRET}")));
    assert!(server.get("/assets/app-1.js").starts_with("HTTP/1.1 200"));
    drop(silent);
}

#[test]
fn the_right_request_gets_the_page_and_a_session() {
    let server = Server::start("right");
    let page = server.get("/");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    for header in [
        "content-type: text/html; charset=utf-8",
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        "x-frame-options: DENY",
        "content-security-policy: frame-ancestors 'none'",
        "<meta name=\"glow-lab\" content=\"1\" />",
    ] {
        assert!(page.contains(header), "no {header} in {page}");
    }
    assert!(!page.contains(&server.token), "the token is in the page");
    let local = format!("Host: localhost:{}\r\n", server.port);
    assert!(
        server
            .say(&request("HEAD / HTTP/1.1", &local))
            .ends_with("\r\n\r\n")
    );
    assert!(server.get("/offline.js").contains("unregister"));

    let mut session = Session::open(&server);
    assert!(session.reads("ready") && session.reads("devices"));
    session.send(r#"{"type":"runCell","id":1,"cell":"a","source":"print(6 * 7)"}"#);
    assert!(session.reads("42\n") && session.reads("done"));
}

#[test]
fn a_broken_command_is_answered_and_costs_no_session() {
    let server = Server::start("broken");
    let mut session = Session::open(&server);
    session.send(r#"{"type":"runCell","id":1,"cell":"a","source":"kept = 41"}"#);
    assert!(session.reads("done"));
    for command in [
        "",
        "{",
        "null",
        "[]",
        "41",
        r#"{"type":"dance","id":2}"#,
        r#"{"type":"runCell","id":2}"#,
        r#"{"type":"runCell","id":-1,"cell":"a","source":""}"#,
        r#"{"type":"call","id":2,"function":"f","values":[null],"shape":[1]}"#,
        &"[".repeat(100_000),
    ] {
        session.send(command);
        assert!(session.reads("not a command"), "{command:.60}");
        assert!(session.reads("done"), "{command:.60}");
    }
    session
        .stream
        .write_all(&frame(0x82, 3, b"\x01\x02\x03"))
        .unwrap();
    assert!(session.reads("commands are JSON text"));
    session.send(r#"{"type":"setDevice","id":3,"device":"abacus"}"#);
    assert!(session.reads("abacus"));
    session.send(r#"{"type":"runCell","id":4,"cell":"a","source":"print(kept + 1)"}"#);
    assert!(session.reads("42\n"));
}

#[test]
fn stop_is_heard_while_a_command_runs() {
    let server = Server::start("stop");
    let mut session = Session::open(&server);
    let endless =
        r#"{"type":"runCell","id":1,"cell":"a","source":"print('on')\nwhile True: pass"}"#;
    session.send(endless);
    assert!(session.reads("on\n"));
    session.send(r#"{"type":"stop"}"#);
    assert!(session.reads("KeyboardInterrupt") && session.reads("done"));
}

#[test]
fn a_message_that_is_too_large_ends_its_socket_alone() {
    let server = Server::start("large");
    let mut session = Session::open(&server);
    let mut other = Session::open(&server);
    let _ = session.stream.write_all(&frame(0x81, 1 << 40, b"{"));
    assert!(session.is_closed());
    other.send(r#"{"type":"runCell","id":1,"cell":"a","source":"print(6 * 7)"}"#);
    assert!(other.reads("42\n"));
}

/// What prints for ever waits for a reader that reads nothing, and ends when that one goes.
#[test]
fn sessions_are_counted_and_given_back() {
    let server = Server::start("many");
    let endless =
        r#"{"type":"runCell","id":1,"cell":"a","source":"while True: print('x' * 1000)"}"#;
    let mut sessions: Vec<Session> = (0..16).map(|_| Session::open(&server)).collect();
    for session in &mut sessions {
        session.send(endless);
    }
    let mut more = Session::open(&server);
    assert!(more.reads("16 sessions are open here"));
    assert!(more.is_closed());
    drop(sessions);
    // A session has its place until its process has ended.
    let found = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        Session::open(&server).reads("ready")
    });
    assert!(found, "no session was given back");
}

/// Clients that say nothing, half of a request, or that do not read what they asked for.
#[test]
fn half_open_connections_do_not_block_the_page() {
    let server = Server::start("half-open");
    let page = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
    let held: Vec<_> = (0..360)
        .map(|n| {
            let mut stream = server.connect();
            let said = match n % 3 {
                0 => "",
                1 => "GET / HTTP/1.1\r\nHost: ",
                _ => &page,
            };
            let _ = stream.write_all(said.as_bytes());
            stream
        })
        .collect();
    let began = Instant::now();
    assert!(server.get("/").ends_with(&format!("<p>{SECRET}")));
    let mut session = Session::open(&server);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(session.reads("ready"));
    // The session's socket is none of the connections that lose their place.
    let more: Vec<_> = (0..300).map(|_| server.connect()).collect();
    session.begins("print(6 * 7)");
    assert!(session.reads("42\n"));
    drop((held, more));
}
