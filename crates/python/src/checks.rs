//! Exercises and widgets: the learner's functions called by the lab.
//!
//! An exercise runs in a copy of the learner's variables, so that trying it changes none of them;
//! the random generator and the tape's switch are put back too. Each check runs by itself.

use rustpython_vm::builtins::{PyDictRef, PyFunction, PyStr};
use rustpython_vm::scope::Scope;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use glowgrad::{DType, Scalar, Tensor};

use crate::compile::{Purpose, compile};
use crate::tensor::{self, OrRaise};
use crate::traceback::{PythonError, message_of};
use crate::vm::Python;

/// The name tracebacks give to an exercise's code.
pub const EXERCISE_CELL: &str = "exercise";
const CHECKS_FILE: &str = "<checks>";
const EXPRESSION_FILE: &str = "<expression>";

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckOutcome {
    /// What must hold, as a sentence.
    pub name: String,
    pub passed: bool,
    /// The counter-example: what was given, what came, what was expected. Empty when passed.
    pub message: String,
    /// The learner's line that raised, where one did.
    pub line: Option<u32>,
}

impl Python {
    /// Runs what the learner wrote for an exercise, then its checks: the functions `check_…`, in
    /// the order in which they are written, whose docstrings say what must hold.
    ///
    /// # Errors
    /// When the learner's code raises before any check can run, when the run is stopped, and when
    /// the checks themselves are broken.
    pub fn run_checks(&self, source: &str, checks: &str) -> Result<Vec<CheckOutcome>, PythonError> {
        self.runtime.remember_source(EXERCISE_CELL, source);
        self.undisturbed(|| self.enter(|vm| self.run_all_checks(vm, source, checks)))
    }

    /// What `print` shows of an expression with the cells' variables. The namespace is a copy, so that a name which
    /// the expression binds is gone after it.
    ///
    /// # Errors
    /// What the expression raised.
    pub fn evaluate(&self, expression: &str) -> Result<String, PythonError> {
        const VALUE: &str = "__value__";
        self.undisturbed(|| {
            self.enter(|vm| {
                let globals = self.globals().copy().into_ref(&vm.ctx);
                let source = format!("{VALUE} = ({expression}\n)");
                run(vm, &source, EXPRESSION_FILE, &globals)?;
                let text = globals.get_item(VALUE, vm)?.str(vm)?;
                Ok(text.as_wtf8().to_string_lossy().into_owned())
            })
        })
    }

    /// Random numbers and `grad_enabled` are after this work as they were before it.
    fn undisturbed<T>(&self, work: impl FnOnce() -> T) -> T {
        let engine = self.runtime.engine.clone();
        let generator = engine.generator().clone();
        let grad_enabled = engine.grad_enabled();
        let result = work();
        *engine.generator() = generator;
        engine.set_grad_enabled(grad_enabled);
        result
    }

    fn run_all_checks(
        &self,
        vm: &VirtualMachine,
        source: &str,
        checks: &str,
    ) -> PyResult<Vec<CheckOutcome>> {
        let globals = self.globals().copy().into_ref(&vm.ctx);
        run(vm, source, EXERCISE_CELL, &globals)?;
        let helpers = vm.import("_checks", 0)?;
        for helper in ["expect", "expect_raises"] {
            globals.set_item(helper, helpers.get_attr(helper, vm)?, vm)?;
        }
        let before: Vec<PyObjectRef> = functions(&globals).map(|(_, object)| object).collect();
        run(vm, checks, CHECKS_FILE, &globals)?;
        let failed = helpers.get_attr("CheckFailed", vm)?;
        let new: Vec<(String, PyObjectRef)> = functions(&globals)
            .filter(|(name, object)| {
                name.starts_with("check_") && !before.iter().any(|old| old.is(object))
            })
            .collect();
        new.into_iter()
            .map(|(name, check)| self.run_check(vm, &name, &check, &failed))
            .collect()
    }

    fn run_check(
        &self,
        vm: &VirtualMachine,
        name: &str,
        check: &PyObjectRef,
        failed: &PyObjectRef,
    ) -> PyResult<CheckOutcome> {
        let name = sentence(vm, name, check);
        let Err(exception) = check.call((), vm) else {
            return Ok(CheckOutcome {
                name,
                passed: true,
                message: String::new(),
                line: None,
            });
        };
        if !exception
            .class()
            .fast_issubclass(vm.ctx.exceptions.exception_type)
        {
            // Stopped: the run ends here.
            return Err(exception);
        }
        let message = message_of(vm, &exception);
        let is_counter_example = exception.as_object().is_instance(failed, vm)?
            || exception
                .class()
                .fast_issubclass(vm.ctx.exceptions.assertion_error);
        let error = PythonError::from_exception(vm, &self.runtime, &exception);
        Ok(CheckOutcome {
            name,
            passed: false,
            message: if is_counter_example && !message.is_empty() {
                message
            } else {
                format!("your code raised {error}")
            },
            line: error
                .line
                .filter(|_| error.cell.as_deref() == Some(EXERCISE_CELL)),
        })
    }

    /// Calls one of the learner's functions with a tensor of numbers; gives the tensor, number or
    /// list that it returns.
    ///
    /// # Errors
    /// When there is no such function, when it raises, and when it returns something else.
    pub fn call(
        &self,
        function: &str,
        values: &[f64],
        shape: &[usize],
    ) -> Result<(Vec<f64>, Vec<usize>), PythonError> {
        self.enter(|vm| {
            let Some(callable) = self.globals().get_item_opt(function, vm)? else {
                return Err(vm.new_name_error(
                    format!("there is no function '{function}' yet; run the cell that defines it"),
                    vm.ctx.new_str(function),
                ));
            };
            vm.import("glowgrad", 0)?;
            let engine = &self.runtime.engine;
            let scalars: Vec<Scalar> = values.iter().map(|&value| Scalar::Float(value)).collect();
            let input = Tensor::from_scalars(engine, &scalars, shape, DType::F32).or_raise(vm)?;
            let result = callable.call((tensor::wrap(vm, input)?,), vm)?;
            let result = match tensor::unwrap(&result) {
                Some(tensor) => tensor,
                None => tensor::from_data(vm, &result, None)?,
            };
            let shape = result.shape().to_vec();
            Ok((result.to_f64().or_raise(vm)?, shape))
        })
    }
}

fn run(vm: &VirtualMachine, source: &str, file: &str, globals: &PyDictRef) -> PyResult<()> {
    let code = compile(vm, source, file, Purpose::Quiet)?;
    let scope = Scope::with_builtins(None, globals.clone(), vm);
    vm.run_code_obj(code, scope).map(drop)
}

fn functions(globals: &PyDictRef) -> impl Iterator<Item = (String, PyObjectRef)> {
    globals.into_iter().filter_map(|(name, value)| {
        let name = name.downcast_ref::<PyStr>()?.to_str()?.to_owned();
        value.downcastable::<PyFunction>().then_some((name, value))
    })
}

/// The docstring's first line, or the function's name as words.
fn sentence(vm: &VirtualMachine, name: &str, check: &PyObjectRef) -> String {
    let docstring = check
        .get_attr("__doc__", vm)
        .ok()
        .and_then(|text| Some(text.downcast_ref::<PyStr>()?.to_str()?.trim().to_owned()))
        .filter(|text| !text.is_empty());
    match docstring {
        Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        None => name.trim_start_matches("check_").replace('_', " "),
    }
}
