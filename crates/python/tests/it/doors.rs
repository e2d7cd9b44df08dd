//! Doors to the interpreter's own memory: each is shut, with an exception of Python.

use crate::common::lab;

/// What every attempt may use.
const PRELUDE: &str = "import sys, types, functools, copy, builtins
def f(a=1):
    return a
def outer():
    x = 1
    def inner():
        return x
    return inner
g = outer()
code = f.__code__
Code = type(code)
Function = type(f)
";

/// Attempts to make, change, load or exchange code, or to reach what the interpreter keeps to itself.
const ATTEMPTS: &[&str] = &[
    "code.replace(co_code=b'')",
    "code.__replace__(co_code=b'')",
    "copy.replace(code, co_code=b'')",
    "Code.replace(code, co_code=b'')",
    "Code()",
    "Code(*[0] * 18)",
    "Code.__new__(Code)",
    "object.__new__(Code)",
    "types.CodeType()",
    "type.__call__(Code)",
    "class C(Code): pass",
    "types.new_class('C', (Code,))",
    "code.__reduce__()",
    "code.__reduce_ex__(2)",
    "code.__setstate__({})",
    "code.co_code = b''",
    "code.co_consts = ()",
    "object.__setattr__(code, 'co_code', b'')",
    "code.__class__ = int",
    "f.__code__ = g.__code__",
    "g.__code__ = f.__code__",
    "object.__setattr__(f, '__code__', g.__code__)",
    "Function.__dict__['__code__'].__set__(f, g.__code__)",
    "setattr(f, '__code__', g.__code__)",
    "del f.__code__",
    "Function(code, {})",
    "types.FunctionType(g.__code__, {})",
    "types.FunctionType(g.__code__, {}, 'h', (), ())",
    "types.LambdaType(g.__code__, {})",
    "Function.__new__(Function, code, {})",
    "object.__new__(Function)",
    "f.__closure__ = ()",
    "Code.replace = None",
    "import marshal",
    "import _io; _io.FileIO",
    "import _io; _io.open('/etc/passwd')",
    "import _io; _io.open(0)",
    "import io; io.open('/etc/passwd')",
    "open('/etc/passwd')",
    "import os; os.system('ls')",
    "import os; os.fork()",
    "import os; os.popen('ls')",
    "import subprocess\nsubprocess.run(['ls'])",
    "import socket\nsocket.socket()",
    "import ctypes\nctypes.CDLL(None)",
    "import _posixsubprocess",
    "import _imp; _imp.get_frozen_object('x', b'')",
    "import _frozen_importlib",
    "import _ast",
    "import _ctypes",
    "import _symtable",
    "import gc; gc.get_objects()",
    "import gc; gc.get_referents(f)",
    "import importlib; importlib._bootstrap",
    "import importlib.machinery",
    "import importlib; importlib.import_module('marshal')",
    "import importlib; importlib.import_module('_imp')",
    "import importlib.util; importlib.util.find_spec('marshal').loader",
    "from ctypes import string_at\nstring_at(0)",
    "import ctypes\nctypes.c_char.from_address(0)",
    "__import__('marshal')",
    "sys.modules['marshal']",
    "[c for c in sys.meta_path if c.__name__ == 'BuiltinImporter'][0].load_module('marshal')",
    "type(sys.__spec__).__init__.__globals__['_imp'].get_frozen_object('a', b'')",
    "type(sys.__spec__).__init__.__globals__['_imp'].create_builtin(type(sys.__spec__)('marshal', None))",
    "type(sys.__spec__).__init__.__globals__['_imp']._fix_co_filename(code, 'x')",
    "type(sys.__spec__).__init__.__globals__['FrozenImporter'].load_module('_thread')",
    "sys.settrace(print)",
    "sys.setprofile(print)",
    "sys._settraceallthreads(print)",
    "sys.call_tracing(f, ())",
    "sys.monitoring.use_tool_id(1, 'x')",
    "sys._getframe()",
    "sys._clear_type_descriptors(int)",
    "sys.addaudithook(print)",
    "sys._get_cpu_count_config()",
    "import _interpreters",
    "import _interpchannels",
    "import _interpqueues",
    "import _testinternalcapi",
    "sys.modules['_testinternalcapi']",
    "compile('1', 'x', 'exec')",
    "exec(code)",
    "eval(code)",
    "exec(g.__code__)",
    "getattr(builtins, '<exec>')(code)",
    "getattr(builtins, '<exec>')(g.__code__)",
    "getattr(builtins, '<eval>')(g.__code__)",
    "def gen(): yield\nit = gen()\nit.gi_frame.f_lineno = 1",
    "def gen(): yield\nit = gen()\nit.gi_frame.clear()",
    "def gen(): yield\nit = gen()\nit.gi_code = code",
    "try: 1 / 0\nexcept ZeroDivisionError as e: e.__traceback__.tb_frame.f_trace = print",
    "try: 1 / 0\nexcept ZeroDivisionError as e: e.__traceback__.tb_frame.f_lineno = 3",
    "try: 1 / 0\nexcept ZeroDivisionError as e: type(e.__traceback__.tb_frame)()",
    "object.__new__(type((lambda: (yield))()))",
    "object.__new__(type(sys))  .__dict__['x']",
    "object.__new__(int)",
    "object.__new__(list)",
    "object.__new__(type)",
    "int.__new__(str, 'x')",
    "list.__new__(dict)",
    "class C(int, str): pass",
    "class C(list, dict): pass",
    "class A: pass\nA().__class__ = int",
    "class A: pass\nA.__class__ = list",
    "(1).__class__ = str",
    "class A: pass\nclass B(list): pass\nA().__class__ = B",
    "class A: pass\nclass B(list): pass\nA.__bases__ = (B,)",
    "class A(list): pass\nclass B(dict): pass\nA.__bases__ = (B,)",
    "list.append({}, 1)",
    "dict.__setitem__([], 0, 1)",
    "str.upper(b'a')",
    "type(f).__get__(1, 2)",
    "int.from_bytes.__self__.__new__(list)",
];

#[test]
fn no_door_leads_into_the_interpreter() {
    lab(|lab| {
        let open: Vec<&str> = ATTEMPTS
            .iter()
            .copied()
            .filter(|attempt| {
                lab.output(PRELUDE);
                println!("{attempt}");
                match lab.run(attempt) {
                    Ok(output) => {
                        println!("  open: {output}");
                        true
                    }
                    Err(error) => error.kind == "SystemError",
                }
            })
            .collect();
        println!("{} attempts", ATTEMPTS.len());
        assert!(open.is_empty(), "open: {open:#?}");
    });
}

#[test]
fn what_a_program_needs_is_still_there() {
    lab(|lab| {
        let output = lab.output(
            "import gc, types, functools, copy
def f(a, b=2):
    return a + b
gc.collect()
print(f.__code__.co_varnames, f.__code__.co_argcount, f.__defaults__)
print(isinstance(f, types.FunctionType), type(f.__code__).__name__)
f.__defaults__ = (5,)
print(f(1), copy.copy(f) is f, functools.partial(f, 1)())
print('é'.encode(), 'e'.encode('ascii'), b'abc'.decode('utf-8'), f.__class__.__bases__)
def gen():
    yield 1
it = gen()
print(it.gi_frame.f_lineno > 0, next(it))
try:
    1 / 0
except ZeroDivisionError as e:
    print(e.__traceback__.tb_frame.f_lineno)",
        );
        assert_eq!(
            output,
            "('a', 'b') 2 (2,)\nTrue code\n6 True 6\nb'\\xc3\\xa9' b'e' abc (<class 'object'>,)\nTrue 1\n17\n"
        );
    });
}
