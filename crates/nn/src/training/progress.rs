//! How far a run is, told in a terminal. In wasm there are no terminal and no clock: nothing is drawn, and no
//! time passes.

#[cfg(not(target_arch = "wasm32"))]
mod terminal {
    use std::time::Instant;

    use indicatif::{ProgressBar, ProgressStyle};

    /// A bar of an epoch's batches, with rate and time left.
    pub(in crate::training) struct Bar(ProgressBar);

    impl Bar {
        pub(in crate::training) fn hidden() -> Bar {
            Bar(ProgressBar::hidden())
        }

        pub(in crate::training) fn new(n_batches: usize, done: usize, epoch: &str) -> Bar {
            let bar = ProgressBar::new(n_batches as u64).with_position(done as u64);
            let template =
                format!("{epoch} {{wide_bar}} {{pos}}/{{len}} {{per_sec}}, {{eta}} left, {{msg}}");
            Bar(match ProgressStyle::with_template(&template) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            })
        }

        pub(in crate::training) fn step(&self, loss: f64) {
            self.0.inc(1);
            self.0.set_message(format!("loss {loss:.4}"));
        }

        /// Takes the bar away.
        pub(in crate::training) fn end(self) {}
    }

    impl Drop for Bar {
        fn drop(&mut self) {
            self.0.finish_and_clear();
        }
    }

    /// Measures an epoch.
    pub(in crate::training) struct Clock(Instant);

    impl Clock {
        pub(in crate::training) fn start() -> Clock {
            Clock(Instant::now())
        }

        pub(in crate::training) fn seconds(&self) -> f64 {
            self.0.elapsed().as_secs_f64()
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod terminal {
    pub(in crate::training) struct Bar;

    impl Bar {
        pub(in crate::training) fn hidden() -> Bar {
            Bar
        }

        pub(in crate::training) fn new(_: usize, _: usize, _: &str) -> Bar {
            Bar
        }

        pub(in crate::training) fn step(&self, _: f64) {}

        pub(in crate::training) fn end(self) {}
    }

    pub(in crate::training) struct Clock;

    impl Clock {
        pub(in crate::training) fn start() -> Clock {
            Clock
        }

        pub(in crate::training) fn seconds(&self) -> f64 {
            0.0
        }
    }
}

pub(super) use terminal::{Bar, Clock};
