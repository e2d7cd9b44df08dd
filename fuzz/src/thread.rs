//! A thread of its own, and what many inputs are given to there.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Inputs until the subject is made anew, so that what they leave does not add up.
const INPUTS_EACH: usize = 2000;

/// The thread's ends: inputs in, outcomes out.
pub struct Thread {
    ends: Mutex<(SyncSender<Vec<u8>>, Receiver<String>)>,
}

impl Thread {
    /// Starts the thread, with a stack of so many bytes. `make` makes the subject there, and `hold` gives it an input.
    pub fn start<S: 'static>(
        stack_bytes: usize,
        make: fn() -> S,
        hold: fn(&mut S, &[u8]) -> String,
    ) -> Thread {
        let (inputs, inbox) = sync_channel::<Vec<u8>>(0);
        let (outbox, outcomes) = sync_channel(0);
        std::thread::Builder::new()
            .stack_size(stack_bytes)
            .spawn(move || {
                let mut subject = None;
                for (count, input) in inbox.iter().enumerate() {
                    if count % INPUTS_EACH == 0 {
                        subject = None;
                    }
                    let outcome = hold(subject.get_or_insert_with(make), &input);
                    let _ = outbox.send(outcome);
                }
            })
            .expect("a thread starts");
        Thread {
            ends: Mutex::new((inputs, outcomes)),
        }
    }

    /// What `hold` makes of an input.
    pub fn give(&self, data: &[u8]) -> String {
        let ends = self.ends.lock().expect("no input failed before");
        ends.0.send(data.to_vec()).expect("the thread lives");
        ends.1.recv().expect("the input holds")
    }
}
