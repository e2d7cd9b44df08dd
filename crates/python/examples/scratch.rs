//! Runs a Python file in the lab's interpreter without a session, and tells how long it took.
#[path = "../tests/common/mod.rs"]
mod common;
fn main() {
    let path = std::env::args().nth(1).expect("a file");
    common::lab(move |lab| {
        let source = std::fs::read_to_string(&path).expect("reads");
        let start = std::time::Instant::now();
        let result = lab.python.run_cell("cell 1", &source);
        print!("{}", lab.host.output());
        if let Err(error) = result {
            print!("{}", error.traceback);
        }
        eprintln!("{:?}", start.elapsed());
    });
}
