//! `_lab`: what our own Python modules and the rewritten code need from Rust.
//!
//! Holds the output streams, the heartbeat, the display of a cell's last value, the importer's view
//! of the frozen sources, and the few built-ins the lab answers differently (`exec`, `open`, …).

pub(crate) use _lab::{Stream, Tick, module_def};

#[rustpython_vm::pymodule]
mod _lab {
    use num_traits::ToPrimitive;
    use rustpython_vm::builtins::{
        PyBaseExceptionRef, PyDict, PyDictRef, PyIntRef, PyStrRef, PyTypeRef,
    };
    use rustpython_vm::function::FuncArgs;
    use rustpython_vm::protocol::{PyMappingMethods, PyNumberMethods};
    use rustpython_vm::scope::Scope;
    use rustpython_vm::types::{AsMapping, AsNumber};
    use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

    use crate::compile::{Purpose, compile, compiled};
    use crate::frozen;
    use crate::host::{MOST_USER_NODES, UserEvent, UserGraph, UserValue};
    use crate::library::Code;
    use crate::runtime::Runtime;
    use crate::tensor;

    /// The most decimal digits of an integer that are read or written at once.
    const MOST_DIGITS: usize = 1 << 17;

    /// `sys.stdout`, whose text goes to the host at each line end and at `flush()`, and `sys.stderr`, which waits for
    /// nothing.
    #[pyattr]
    #[pyclass(name = "Stream", module = "_lab")]
    #[derive(Debug, PyPayload)]
    pub(crate) struct Stream {
        pub(crate) name: &'static str,
    }

    #[pyclass]
    impl Stream {
        #[pymethod]
        fn write(zelf: &Py<Self>, text: PyStrRef) -> usize {
            let (runtime, text_lossy) = (Runtime::current(), text.as_wtf8().to_string_lossy());
            match zelf.name {
                "stderr" => runtime.write_error(&text_lossy),
                _ => runtime.write(&text_lossy),
            }
            text.char_len()
        }

        #[pymethod]
        fn writelines(zelf: &Py<Self>, lines: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
            let lines: Vec<PyStrRef> = lines.try_to_value(vm)?;
            for line in lines {
                Self::write(zelf, line);
            }
            Ok(())
        }

        #[pymethod]
        fn flush(_zelf: &Py<Self>) {
            Runtime::current().flush();
        }

        #[pymethod]
        fn isatty(_zelf: &Py<Self>) -> bool {
            false
        }

        #[pymethod]
        fn writable(_zelf: &Py<Self>) -> bool {
            true
        }

        #[pymethod]
        fn readable(_zelf: &Py<Self>) -> bool {
            false
        }

        #[pygetset]
        fn encoding(_zelf: &Py<Self>) -> &'static str {
            "utf-8"
        }

        #[pygetset]
        fn errors(_zelf: &Py<Self>) -> &'static str {
            "replace"
        }

        #[pygetset]
        fn name(zelf: &Py<Self>) -> &'static str {
            zelf.name
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

    /// The heartbeat: asking for its truth is a tick, and its element `b` is b as a factor of a product.
    #[pyattr]
    #[pyclass(name = "Tick", module = "_lab")]
    #[derive(Debug, PyPayload)]
    pub(crate) struct Tick {
        /// The type of integers that are multiplied under the guard of products.
        pub(crate) large_int: PyTypeRef,
    }

    #[pyclass(with(AsNumber, AsMapping))]
    impl Tick {}

    impl AsMapping for Tick {
        fn as_mapping() -> &'static PyMappingMethods {
            static AS_MAPPING: PyMappingMethods = PyMappingMethods {
                subscript: Some(|mapping, factor, vm| {
                    let tick = Tick::mapping_downcast(mapping);
                    crate::limits::integers::factor(factor, &tick.large_int, vm)
                }),
                ..PyMappingMethods::NOT_IMPLEMENTED
            };
            &AS_MAPPING
        }
    }

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

    #[pyattr]
    const GRAPH_MOST_NODES: usize = MOST_USER_NODES;
    #[pyattr]
    const GRAPH_MADE: i64 = UserEvent::Made as i64;
    #[pyattr]
    const GRAPH_BACKWARD: i64 = UserEvent::Backward as i64;
    #[pyattr]
    const GRAPH_VJP: i64 = UserEvent::Vjp as i64;
    #[pyattr]
    const GRAPH_ACCUMULATE: i64 = UserEvent::Accumulate as i64;
    #[pyattr]
    const GRAPH_GRAD: i64 = UserEvent::Grad as i64;
    #[pyattr]
    const GRAPH_END: i64 = UserEvent::End as i64;

    /// Hands the graph of a learner's own engine to the host (see `_user_graph`).
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
        let graph = UserGraph {
            ops: ops.into_iter().map(text).collect(),
            names: names.into_iter().map(|name| name.map(text)).collect(),
            sources: sources.try_to_value(vm)?,
            values: values
                .try_to_value::<Vec<PyObjectRef>>(vm)?
                .into_iter()
                .map(|value| match tensor::unwrap(&value) {
                    Some(tensor) => Ok(UserValue::Array(tensor)),
                    None => value.try_into_value(vm).map(UserValue::Number),
                })
                .collect::<PyResult<_>>()?,
            events: events.try_to_value(vm)?,
        };
        Runtime::current().host.user_graph(graph);
        Ok(())
    }

    /// None for a module that is not ours, else whether it is a package.
    #[pyfunction]
    fn module_kind(name: PyStrRef) -> Option<bool> {
        frozen::find(&Runtime::current(), name.to_str()?).map(|module| module.is_package)
    }

    /// Runs a module of ours in its namespace.
    #[pyfunction]
    fn run_module(name: PyStrRef, namespace: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        let find = |name| frozen::find(&Runtime::current(), name);
        let module = name.to_str().and_then(find).ok_or_else(|| {
            vm.new_import_error(format!("no module named {name} in the lab"), name.clone())
        })?;
        let file = format!("<{}>", module.name);
        let code = match module.code {
            Code::Source(source) => compile(vm, source, &file, Purpose::Ours)?,
            Code::Compiled(bytes) => compiled(vm, bytes),
        };
        let scope = Scope::with_builtins(None, namespace, vm);
        vm.run_code_obj(code, scope).map(drop)
    }

    /// Runs a module of the learner's own, whose text was read from a file, in its namespace.
    #[pyfunction]
    fn run_source(
        file: PyStrRef,
        source: PyStrRef,
        namespace: PyDictRef,
        vm: &VirtualMachine,
    ) -> PyResult<()> {
        let file = file.as_wtf8().to_string_lossy();
        let source = source.as_wtf8().to_string_lossy();
        Runtime::current().remember_source(&file, &source);
        let code = compile(vm, &source, &file, Purpose::Quiet)?;
        let scope = Scope::with_builtins(None, namespace, vm);
        vm.run_code_obj(code, scope).map(drop)
    }

    /// What `sys.argv` has.
    #[pyfunction]
    fn arguments(vm: &VirtualMachine) -> PyObjectRef {
        let words = Runtime::current().host.arguments().into_iter();
        let words = words.map(|word| vm.ctx.new_str(word).into());
        vm.ctx.new_list(words.collect()).into()
    }

    /// Tells the learner a sentence, if it is a new one.
    #[pyfunction]
    fn say_once(text: PyStrRef) {
        Runtime::current().say_once(&text.as_wtf8().to_string_lossy());
    }

    /// What to write instead of importing this module.
    #[pyfunction]
    fn missing_module(name: PyStrRef, vm: &VirtualMachine) -> String {
        frozen::missing(&Runtime::current(), vm, &name.as_wtf8().to_string_lossy())
    }

    /// Why the names of a module that imports refuse to be called; None for every other module.
    #[pyfunction]
    fn refusal_at_call(name: PyStrRef) -> Option<String> {
        frozen::refusal_at_call(name.to_str()?).map(str::to_owned)
    }

    /// `exec` and `eval`, with ticks in the code they run.
    #[pyfunction]
    fn exec(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        run_builtin(|kept| &kept.0, "exec", Purpose::Quiet, args, vm)
    }

    #[pyfunction]
    fn eval(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        run_builtin(|kept| &kept.1, "eval", Purpose::Expression, args, vm)
    }

    /// Where the code that is run gets builtins of its own, `eval(text, {"__builtins__": {}})`, its ticks are
    /// among them.
    fn add_tick_to_own_builtins(globals: &Py<PyDict>, vm: &VirtualMachine) -> PyResult<()> {
        let Some(own) = globals.get_item_opt("__builtins__", vm)? else {
            return Ok(());
        };
        let own = match own.downcast::<PyDict>() {
            Ok(dict) => dict,
            Err(module) => match module.dict() {
                Some(dict) => dict,
                None => return Ok(()),
            },
        };
        let tick = vm.builtins.get_attr(crate::insert_ticks::TICK, vm)?;
        own.set_item(crate::insert_ticks::TICK, tick, vm)
    }

    fn run_builtin(
        original: fn(&(PyObjectRef, PyObjectRef)) -> &PyObjectRef,
        name: &str,
        purpose: Purpose,
        mut args: FuncArgs,
        vm: &VirtualMachine,
    ) -> PyResult {
        let source = args.args.first().and_then(|text| {
            let text = text.downcast_ref::<rustpython_vm::builtins::PyStr>()?;
            text.to_str().map(str::to_owned)
        });
        // A code object may expect cells that are not there.
        let Some(source) = source else {
            let class = args.args.first().map(|it| it.class().name().to_string());
            return Err(vm.new_type_error(format!(
                "{name}() arg 1 must be a string in the lab, not {}",
                class.as_deref().unwrap_or("nothing")
            )));
        };
        let source = match purpose {
            Purpose::Expression => source.trim(),
            _ => &source,
        };
        args.args[0] = compile(vm, source, "<string>", purpose)?.into();
        let globals = args.args.get(1).or_else(|| args.kwargs.get("globals"));
        if let Some(globals) = globals.and_then(|it| it.downcast_ref::<PyDict>()) {
            add_tick_to_own_builtins(globals, vm)?;
        }
        let runtime = Runtime::current();
        match runtime.run_code.get() {
            Some(kept) => original(kept).call(args, vm),
            None => Err(vm.new_runtime_error(format!("{name}() is not there yet"))),
        }
    }

    /// Keeps the built-in `exec` and `eval`, which take code objects, out of a learner's reach.
    #[pyfunction]
    fn keep(exec: PyObjectRef, eval: PyObjectRef) {
        let _ = Runtime::current().run_code.set((exec, eval));
    }

    /// Lowers the recursion limit until the cell ends; it cannot be raised, the stack is small.
    #[pyfunction]
    fn setrecursionlimit(limit: PyIntRef, vm: &VirtualMachine) -> PyResult<()> {
        let most = Runtime::current().host.recursion_limit();
        let refused = match limit.as_bigint().to_i64() {
            Some(..1) => "recursion limit must be greater or equal than 1".to_owned(),
            Some(limit) if limit as u64 <= most as u64 => {
                vm.recursion_limit.set(limit as usize);
                return Ok(());
            }
            _ => format!(
                "setrecursionlimit: got {}, the lab allows at most {most}; \
                 a loop with a list as its stack needs no recursion",
                limit.as_bigint()
            ),
        };
        Err(vm.new_value_error(refused))
    }

    /// How many decimal digits of an integer are read and written. Both take the square of their time.
    #[pyfunction]
    fn set_int_max_str_digits(maxdigits: PyIntRef, vm: &VirtualMachine) -> PyResult<()> {
        let digits = maxdigits.as_bigint().to_usize().unwrap_or(usize::MAX);
        if !(640..=MOST_DIGITS).contains(&digits) {
            return Err(vm.new_value_error(format!(
                "set_int_max_str_digits: got {}, the lab allows 640 to {MOST_DIGITS}",
                maxdigits.as_bigint()
            )));
        }
        vm.state.int_max_str_digits.store(digits);
        Ok(())
    }

    #[pyfunction]
    fn compile_refused(_args: FuncArgs, vm: &VirtualMachine) -> PyBaseExceptionRef {
        vm.new_not_implemented_error("compile() is not in the lab; exec() and eval() take text")
    }
}
