//! An interpreter for many inputs, with a host of the same clock and the same patience each time.
//!
//! The clock moves at each look, and the host stops a run after `MOST_LOOKS` of them, so that the same input
//! takes the same way however busy the computer is.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use glowgrad_python::{Flow, Host, Python};

const MOST_LOOKS: u32 = 2000;
/// Between two looks: so that every tick is one.
const MILLIS_A_LOOK: f64 = 5.0;

/// Remembers what is printed, and ends a run.
#[derive(Default)]
pub struct Quiet {
    printed: RefCell<String>,
    looks: Cell<u32>,
    millis: Cell<f64>,
}

impl Host for Quiet {
    fn stdout(&self, text: &str) {
        self.printed.borrow_mut().push_str(text);
    }

    fn library(&self) -> Result<&'static str, String> {
        Ok(glowgrad_pylib::TEXT)
    }

    fn codec(&self, request: &str, bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
        let answer = glowgrad_files::codec::answer(request, bytes);
        let answer = answer.map_err(|error| error.to_string())?;
        Ok((answer.text, answer.bytes))
    }

    fn tick(&self) -> Flow {
        self.looks.set(self.looks.get() + 1);
        if self.looks.get() > MOST_LOOKS {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }

    fn now_millis(&self) -> f64 {
        self.millis.set(self.millis.get() + MILLIS_A_LOOK);
        self.millis.get()
    }

    fn sleep(&self, _: f64) {}

    fn metric(&self, _: &str, _: f64, _: f64) {}
}

/// What an input is given to.
pub struct Lab {
    pub python: Python,
    host: Rc<Quiet>,
}

impl Lab {
    /// An interpreter after this cell.
    pub fn new(first: &str) -> Lab {
        let host = Rc::new(Quiet::default());
        let python = Python::new(glowgrad::cpu(), host.clone());
        let lab = Lab { python, host };
        lab.printed(first);
        lab
    }

    /// Runs a cell that must work, and gives what it printed.
    pub fn printed(&self, cell: &str) -> String {
        self.host.looks.set(0);
        if let Err(error) = self.python.run_cell("fuzz", cell) {
            panic!("{}", error.traceback);
        }
        self.host.printed.take()
    }
}
