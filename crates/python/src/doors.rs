//! The doors to the interpreter's own memory that a learner's code does not get.
//!
//! RustPython trusts its bytecode: a code object that was made or changed from Python can read and write memory
//! that is not its own. So code objects come from the compiler alone. What makes, changes, loads or
//! exchanges one is taken away: methods and constructors here, modules with [`without_modules`], names
//! of `sys` with them. `tests/it/doors.rs` tries each.

use std::cell::RefCell;
use std::collections::HashMap;

use rustpython_vm::builtins::PyType;
use rustpython_vm::common::rc::PyRc;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, Py, PyObjectRef, PyResult, VirtualMachine};

/// Native modules that the lab has no use for, or that hand out what is not a learner's to have.
const NO_MODULES: &[&str] = &[
    "_interpchannels",
    "_interpqueues",
    "_interpreters",
    "_stat",
    "_symtable",
    "_sysconfig",
    "_sysconfigdata",
    "_testinternalcapi",
    "atexit",
    "errno",
    "gc",
    "marshal",
];

/// Native modules that code may import once the interpreter runs. Everything else that RustPython needed to
/// start is out of reach.
const MODULES: &[&str] = &[
    "_abc",
    "_characters",
    "_clock",
    "_codecs",
    "_collections",
    "_files",
    "_functools",
    "_glowgrad",
    "_io",
    "_lab",
    "_operator",
    "_packing",
    "_random",
    "_sre",
    "_string",
    "_types",
    "_typing",
    "_weakref",
    "builtins",
    "itertools",
    "math",
    "sys",
];

/// Names of `sys` that trace, instrument or reach into frames of others.
const NO_NAMES_OF_SYS: &[&str] = &[
    "_baserepl",
    "_clear_type_descriptors",
    "_current_exceptions",
    "_current_frames",
    "_getframe",
    "_getframemodulename",
    "_get_cpu_count_config",
    "_setprofileallthreads",
    "_settraceallthreads",
    "breakpointhook",
    "call_tracing",
    "displayhook",
    "__displayhook__",
    "__breakpointhook__",
    "addaudithook",
    "excepthook",
    "__excepthook__",
    "get_asyncgen_hooks",
    "getprofile",
    "gettrace",
    "monitoring",
    "path_hooks",
    "set_asyncgen_hooks",
    "set_coroutine_origin_tracking_depth",
    "setprofile",
    "setswitchinterval",
    "settrace",
    "unraisablehook",
    "__unraisablehook__",
];

thread_local! {
    /// The attributes that are read-only now, as they were: they still read.
    static WHOLE: RefCell<HashMap<&'static str, PyObjectRef>> = RefCell::default();
}

/// Takes native modules away before the interpreter starts.
pub(crate) fn without_modules(vm: &mut VirtualMachine) {
    let Some(state) = PyRc::get_mut(&mut vm.state) else {
        return;
    };
    state
        .module_defs
        .retain(|name, _| !NO_MODULES.iter().any(|no| name.starts_with(no)));
}

/// Closes the doors of this thread's types and of an interpreter that has started.
pub(crate) fn close(vm: &VirtualMachine) -> PyResult<()> {
    close_types(vm);
    close_modules(vm)
}

fn close_types(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for class in [types.code_type, types.function_type, types.frame_type] {
        remove(class, "__new__", vm);
        class.slots.new.store(None);
    }
    for name in [
        "replace",
        "__replace__",
        "_co_code_adaptive",
        "_varname_from_oparg",
    ] {
        remove(types.code_type, name, vm);
    }
    // A function keeps the code it was made with: another's may expect other cells.
    let code = types
        .function_type
        .get_direct_attr(vm.ctx.intern_str("__code__"));
    if let Some(code) = code {
        read_only(types.function_type, "__code__", code, vm);
    }
    // Another base may expect memory that an instance does not have.
    let bases = types
        .type_type
        .get_direct_attr(vm.ctx.intern_str("__bases__"));
    if let Some(bases) = bases {
        read_only(types.type_type, "__bases__", bases, vm);
    }
    for name in [
        "f_lineno",
        "f_trace",
        "f_trace_lines",
        "f_trace_opcodes",
        "clear",
    ] {
        let whole = types.frame_type.get_direct_attr(vm.ctx.intern_str(name));
        match whole {
            Some(whole) if name == "f_lineno" => read_only(types.frame_type, name, whole, vm),
            _ => remove(types.frame_type, name, vm),
        }
    }
}

fn remove(class: &'static Py<PyType>, name: &'static str, vm: &VirtualMachine) {
    class.modified();
    class.attributes.remove(vm.ctx.intern_str(name));
}

/// Leaves an attribute to be read.
fn read_only(
    class: &'static Py<PyType>,
    name: &'static str,
    whole: PyObjectRef,
    vm: &VirtualMachine,
) {
    WHOLE.with_borrow_mut(|kept| {
        kept.entry(name).or_insert(whole);
    });
    let get = move |object: PyObjectRef, vm: &VirtualMachine| -> PyResult {
        let Some(whole) = WHOLE.with_borrow(|kept| kept.get(name).cloned()) else {
            return Err(vm.new_attribute_error(name));
        };
        let class: PyObjectRef = object.class().to_owned().into();
        vm.call_method(&whole, "__get__", (object, class))
    };
    let attribute = vm.ctx.new_readonly_getset(name, class, get);
    class.set_attr(vm.ctx.intern_str(name), attribute.into());
}

fn close_modules(vm: &VirtualMachine) -> PyResult<()> {
    for name in NO_NAMES_OF_SYS {
        if vm.sys_module.get_attr(*name, vm).is_ok() {
            vm.sys_module.as_object().del_attr(*name, vm)?;
        }
    }
    let modules = vm.sys_module.get_attr("modules", vm)?;
    let imp = modules.get_item("_imp", vm)?;
    for name in [
        "_fix_co_filename",
        "_override_frozen_modules_for_tests",
        "get_frozen_object",
        "init_frozen",
        "find_frozen",
        "is_frozen",
        "is_frozen_package",
        "_frozen_module_names",
    ] {
        if imp.get_attr(name, vm).is_ok() {
            imp.del_attr(name, vm)?;
        }
    }
    let create = imp.get_attr("create_builtin", vm)?;
    let create = vm.new_function(
        "create_builtin",
        move |args: FuncArgs, vm: &VirtualMachine| {
            let name = match args.args.first() {
                Some(spec) => spec.get_attr("name", vm)?.str(vm)?,
                None => vm.ctx.new_str(""),
            };
            if is_allowed(&name.as_wtf8().to_string_lossy()) {
                return create.call(args, vm);
            }
            Err(vm.new_import_error("the lab does not have this module".to_owned(), name))
        },
    );
    imp.set_attr("create_builtin", create, vm)?;
    let is_builtin = vm.new_function(
        "is_builtin",
        |name: PyObjectRef, vm: &VirtualMachine| -> PyResult<i32> {
            Ok(i32::from(is_allowed(
                &name.str(vm)?.as_wtf8().to_string_lossy(),
            )))
        },
    );
    imp.set_attr("is_builtin", is_builtin, vm)?;
    // Frozen modules of RustPython are code that is loaded; the lab's own come as text.
    let finders = vm.sys_module.get_attr("meta_path", vm)?;
    let kept: Vec<PyObjectRef> = finders
        .try_to_value::<Vec<PyObjectRef>>(vm)?
        .into_iter()
        .filter(|finder| {
            finder
                .get_attr("__name__", vm)
                .and_then(|name| name.str(vm))
                .is_ok_and(|name| name.as_wtf8().to_string_lossy() != "FrozenImporter")
        })
        .collect();
    vm.sys_module
        .set_attr("meta_path", vm.ctx.new_list(kept), vm)?;
    for name in ["_ast", "_thread", "_imp", "_frozen_importlib"] {
        if modules.get_item(name, vm).is_ok() {
            modules.del_item(name, vm)?;
        }
    }
    Ok(())
}

/// Whether this is a native module that code may import.
pub(crate) fn is_allowed(name: &str) -> bool {
    MODULES.contains(&name)
}
