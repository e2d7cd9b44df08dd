//! `glow serve` as a program of its own: its address, its answers, and SIGTERM while a request is on its way.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use glowgrad::Tensor;
use glowgrad_onnx::Export;

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the build folder is writable");
    path
}

/// A model file: the ReLU of two numbers.
fn model(folder: &Path) -> PathBuf {
    let engine = glowgrad::cpu();
    let x = Tensor::from_f32(&engine, &[1.0, -1.0], &[1, 2]).expect("two numbers");
    let mut export = Export::new();
    export.input("x", &x);
    let y = x.relu().expect("an op");
    let bytes = export.output("y", &y).to_bytes().expect("a model");
    let file = folder.join("model.onnx");
    fs::write(&file, bytes).expect("the folder is writable");
    file
}

/// The program, and the address that it prints.
fn start(model: &Path, options: &[&str]) -> (Child, String) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_glow"))
        .arg("serve")
        .arg(model)
        .args(["--port", "0"])
        .args(options)
        .env_remove("GLOW_SERVE_TOKEN")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("glow starts");
    let mut line = String::new();
    let output = server.stdout.as_mut().expect("its output is a pipe");
    BufReader::new(output)
        .read_line(&mut line)
        .expect("it says where it is");
    let address = line.trim().strip_prefix("The model is at http://");
    let address = address.unwrap_or_else(|| panic!("no address in {line:?}"));
    (server, address.to_owned())
}

const BODY: &str = "{\"inputs\": [[-2.5, 3]]}";

fn head() -> String {
    format!(
        "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        BODY.len()
    )
}

fn rest(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[cfg(unix)]
#[test]
fn a_request_that_is_on_its_way_at_sigterm_is_answered() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let folder = folder(signal.as_str());
        let (mut server, address) = start(&model(&folder), &["--log", "json"]);
        let mut stream = TcpStream::connect(&address).expect("it listens");
        let (first, last) = BODY.split_at(5);
        stream
            .write_all((head() + first).as_bytes())
            .expect("it reads");
        // Another request shows that the server has read what came before.
        let mut other = TcpStream::connect(&address).expect("it listens");
        other
            .write_all((head() + BODY).as_bytes())
            .expect("it reads");
        assert!(rest(other).starts_with("HTTP/1.1 200"));
        let id = Pid::from_raw(server.id().try_into().expect("a process"));
        kill(id, signal).expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(200));
        stream.write_all(last.as_bytes()).expect("it reads");
        let answer = rest(stream);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(
            answer.ends_with("{\"outputs\":{\"y\":[[0.0,3.0]]}}"),
            "{answer}"
        );
        let ended = server.wait().expect("it ends");
        assert_eq!(ended.code(), Some(0));
        let mut log = String::new();
        let errors = server.stderr.as_mut().expect("its errors are a pipe");
        errors.read_to_string(&mut log).expect("a log");
        for line in log.lines() {
            let line: serde_json::Value = serde_json::from_str(line).expect("a JSON object");
            assert!(line["level"].is_string(), "{line}");
        }
        let requests = log
            .lines()
            .filter(|line| line.contains("\"path\":\"/predict\""));
        assert_eq!(requests.count(), 2, "{log}");
        assert!(TcpStream::connect(&address).is_err());
    }
}

#[test]
fn a_deployment_has_the_program_the_model_and_no_token() {
    let folder = folder("deployment");
    let to = folder.join("deploy");
    let ran = Command::new(env!("CARGO_BIN_EXE_glow"))
        .arg("serve")
        .arg(model(&folder))
        .arg("--write-deployment")
        .arg(&to)
        .env("GLOW_SERVE_TOKEN", "a-token-that-is-not-written")
        .output()
        .expect("glow starts");
    assert!(ran.status.success(), "{ran:?}");
    for name in [
        "glow",
        "model.onnx",
        "Dockerfile",
        "compose.yaml",
        "glow-serve.service",
    ] {
        assert!(to.join(name).is_file(), "{name}");
    }
    for name in ["Dockerfile", "compose.yaml", "glow-serve.service"] {
        let text = fs::read_to_string(to.join(name)).expect("a text");
        assert!(
            !text.contains("a-token") && !text.contains("MODEL"),
            "{text}"
        );
    }
    let program = Command::new(to.join("glow")).arg("--version").output();
    assert!(program.expect("it starts").status.success());
}

#[test]
fn what_cannot_be_served_ends_with_a_sentence() {
    let folder = folder("refused");
    let file = folder.join("weights.txt");
    fs::write(&file, "1").expect("the folder is writable");
    for (arguments, said) in [
        (
            vec!["serve", file.to_str().expect("a path")],
            "expected a .onnx file",
        ),
        (vec!["serve", "missing.onnx"], "cannot read missing.onnx"),
    ] {
        let ran = Command::new(env!("CARGO_BIN_EXE_glow"))
            .args(arguments)
            .output();
        let ran = ran.expect("glow starts");
        assert_eq!(ran.status.code(), Some(1));
        let errors = String::from_utf8_lossy(&ran.stderr);
        assert!(errors.contains(said), "{errors}");
    }
}
