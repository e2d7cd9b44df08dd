//! `_lab`: what our own Python modules and the rewritten code need from Rust.
//!
//! Holds the output streams, the heartbeat, the display of a cell's last value, the importer's view
//! of the frozen sources, and the few built-ins the lab answers differently (`exec`, `open`, …).

pub(crate) use _lab::{Stream, Tick, module_def};

#[rustpython_vm::pymodule]
mod _lab {
    use rustpython_vm::builtins::{PyBaseExceptionRef, PyStrRef};
    use rustpython_vm::function::FuncArgs;
    use rustpython_vm::protocol::PyNumberMethods;
    use rustpython_vm::types::AsNumber;
    use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

    use crate::compile::{Purpose, compile};
    use crate::frozen;
    use crate::host::OwnGraph;
    use crate::runtime::Runtime;

    /// `sys.stdout` and `sys.stderr`: text goes to the host at each line end and at `flush()`.
    #[pyattr]
    #[pyclass(name = "Stream", module = "_lab")]
    #[derive(Debug, PyPayload)]
    pub(crate) struct Stream {
        pub(crate) name: &'static str,
    }

    #[pyclass]
    impl Stream {
        #[pymethod]
        fn write(&self, text: PyStrRef) -> usize {
            Runtime::current().write(&text.as_wtf8().to_string_lossy());
            text.char_len()
        }

        #[pymethod]
        fn writelines(&self, lines: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
            let lines: Vec<PyStrRef> = lines.try_to_value(vm)?;
            for line in lines {
                self.write(line);
            }
            Ok(())
        }

        #[pymethod]
        fn flush(&self) {
            Runtime::current().flush();
        }

        #[pymethod]
        fn isatty(&self) -> bool {
            false
        }

        #[pymethod]
        fn writable(&self) -> bool {
            true
        }

        #[pymethod]
        fn readable(&self) -> bool {
            false
        }

        #[pygetset]
        fn encoding(&self) -> &'static str {
            "utf-8"
        }

        #[pygetset]
        fn errors(&self) -> &'static str {
            "replace"
        }

        #[pygetset]
        fn name(&self) -> &'static str {
            self.name
        }
    }

    /// Prints the value of a cell's last expression, as a notebook does.
    #[pyfunction]
    fn display(value: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        if vm.is_none(&value) {
            return Ok(());
        }
        vm.builtins.set_attr("_", value.clone(), vm)?;
        let runtime = Runtime::current();
        runtime.write(&value.repr(vm)?.as_wtf8().to_string_lossy());
        runtime.write("\n");
        Ok(())
    }

    /// The heartbeat: asking for its truth is a tick.
    #[pyattr]
    #[pyclass(name = "Tick", module = "_lab")]
    #[derive(Debug, PyPayload)]
    pub(crate) struct Tick;

    #[pyclass(with(AsNumber))]
    impl Tick {}

    impl AsNumber for Tick {
        fn as_number() -> &'static PyNumberMethods {
            static AS_NUMBER: PyNumberMethods = PyNumberMethods {
                boolean: Some(|_, vm| crate::tick::tick(vm)),
                ..PyNumberMethods::NOT_IMPLEMENTED
            };
            &AS_NUMBER
        }
    }

    /// The most frames of Python that the host's stack holds.
    #[pyfunction]
    fn recursion_limit() -> usize {
        Runtime::current().host.recursion_limit()
    }

    /// Hands the graph of a learner's own engine to the host (see `_own_graph`).
    #[pyfunction]
    fn show_graph(
        ops: PyObjectRef,
        names: PyObjectRef,
        sources: PyObjectRef,
        values: PyObjectRef,
        events: PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult<()> {
        let text = |text: PyStrRef| text.as_wtf8().to_string_lossy().into_owned();
        let ops: Vec<PyStrRef> = ops.try_to_value(vm)?;
        let names: Vec<Option<PyStrRef>> = names.try_to_value(vm)?;
        let graph = OwnGraph {
            ops: ops.into_iter().map(text).collect(),
            names: names.into_iter().map(|name| name.map(text)).collect(),
            sources: sources.try_to_value(vm)?,
            values: values.try_to_value(vm)?,
            events: events.try_to_value(vm)?,
        };
        Runtime::current().host.own_graph(graph);
        Ok(())
    }

    /// None for a module that is not ours, else whether it is a package.
    #[pyfunction]
    fn module_kind(name: PyStrRef) -> Option<bool> {
        frozen::find(name.to_str()?).map(|module| module.is_package)
    }

    /// The compiled code of a module of ours.
    #[pyfunction]
    fn module_code(name: PyStrRef, vm: &VirtualMachine) -> PyResult {
        let module = name.to_str().and_then(frozen::find).ok_or_else(|| {
            vm.new_import_error(format!("no module named {name} in the lab"), name.clone())
        })?;
        let file = format!("<{}>", module.name);
        Ok(compile(vm, module.source, &file, Purpose::Ours)?.into())
    }

    /// What to write instead of importing this module.
    #[pyfunction]
    fn missing_module(name: PyStrRef) -> String {
        frozen::missing(&name.as_wtf8().to_string_lossy())
    }

    /// `exec` and `eval`, with ticks in the code they run.
    #[pyfunction]
    fn exec(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        run_builtin("<exec>", Purpose::Quiet, args, vm)
    }

    #[pyfunction]
    fn eval(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        run_builtin("<eval>", Purpose::Expression, args, vm)
    }

    fn run_builtin(
        original: &'static str,
        purpose: Purpose,
        mut args: FuncArgs,
        vm: &VirtualMachine,
    ) -> PyResult {
        if let Some(text) = args.args.first()
            && let Some(text) = text.downcast_ref::<rustpython_vm::builtins::PyStr>()
            && let Some(source) = text.to_str()
        {
            let source = match purpose {
                Purpose::Expression => source.trim(),
                _ => source,
            };
            args.args[0] = compile(vm, source, "<string>", purpose)?.into();
        }
        vm.builtins.get_attr(original, vm)?.call(args, vm)
    }

    #[pyfunction]
    fn compile_refused(_args: FuncArgs, vm: &VirtualMachine) -> PyBaseExceptionRef {
        vm.new_not_implemented_error("compile() is not in the lab; exec() and eval() take text")
    }
}
