//! `_clock`: the host's clock, on which `time.py` stands. Sleeping ticks, so that Stop ends it.

pub(crate) use _clock::module_def;

#[rustpython_vm::pymodule]
mod _clock {
    use rustpython_vm::function::ArgIntoFloat;
    use rustpython_vm::{PyResult, VirtualMachine};

    use crate::runtime::Runtime;
    use crate::tick;

    /// The longest wait between two ticks, in milliseconds.
    const SLICE_MILLIS: f64 = 20.0;

    /// Seconds since the Unix epoch.
    #[pyfunction]
    fn time() -> f64 {
        Runtime::current().host.now_millis() / 1e3
    }

    #[pyfunction]
    fn time_ns() -> i64 {
        (Runtime::current().host.now_millis() * 1e6) as i64
    }

    #[pyfunction]
    fn perf_counter() -> f64 {
        time()
    }

    #[pyfunction]
    fn perf_counter_ns() -> i64 {
        time_ns()
    }

    #[pyfunction]
    fn monotonic() -> f64 {
        time()
    }

    #[pyfunction]
    fn monotonic_ns() -> i64 {
        time_ns()
    }

    #[pyfunction]
    fn process_time() -> f64 {
        time()
    }

    #[pyfunction]
    fn sleep(seconds: ArgIntoFloat, vm: &VirtualMachine) -> PyResult<()> {
        let seconds = seconds.into_float();
        if !seconds.is_finite() || seconds < 0.0 {
            return Err(vm.new_value_error("sleep length must be non-negative"));
        }
        let runtime = Runtime::current();
        runtime.flush();
        let end = runtime.host.now_millis() + seconds * 1e3;
        loop {
            tick::look_soon();
            tick::tick(vm)?;
            let left = end - runtime.host.now_millis();
            if left <= 0.0 {
                return Ok(());
            }
            runtime.host.sleep(left.min(SLICE_MILLIS));
        }
    }
}
