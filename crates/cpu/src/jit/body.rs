//! A kernel's body as a module of one function, `run(operands, len)`: the address of the operands' addresses, and how
//! many elements.
//!
//! A loop computes four elements in each turn, a second one what is left, element by element.
//! A float32 is 4 bytes, a bool one byte of 0 or 1, which is a mask in a register.

use glowgrad_tensor::DType;
use glowgrad_tensor::alu::AluOp;
use glowgrad_tensor::kernel::{Instr, Kernel};
use wasm_encoder::{
    BlockType, CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    ImportSection, MemArg, MemArgTarget, MemoryType, Module, TypeSection, ValType,
};

use super::code::{Code, Value, write as code_of};
use super::is_computed;
use crate::math::{self, Bits, Float};

// The parameters; the addresses of the operands are locals behind them.
const OPERANDS: u32 = 0;
const LEN: u32 = 1;
const PARAMETERS: u32 = 2;

/// What the function reads and writes: an instruction's result, in an operand.
struct Leaf {
    instr: usize,
    is_bool: bool,
    is_uniform: bool,
}

/// The instructions that it reads, the outputs that it writes, and the module. None where it cannot be written.
pub(super) fn write(
    kernel: &Kernel,
    is_uniform_input: impl Fn(usize) -> bool,
) -> Option<(Vec<usize>, Vec<usize>, Vec<u8>)> {
    let n = kernel.code.len();
    let mut uniform = vec![false; n];
    for (i, instr) in kernel.code.iter().enumerate() {
        uniform[i] = match instr {
            Instr::Arg { .. } => true,
            Instr::Load { input } => is_uniform_input(usize::from(*input)),
            _ => sources(instr).iter().all(|&s| uniform[usize::from(s)]),
        };
    }
    let is_computed = |i: usize| is_computed(&kernel.code[i], uniform[i]);
    let stores: Vec<usize> = (0..kernel.outputs.len())
        .filter(|&output| is_computed(usize::from(kernel.outputs[output])))
        .collect();
    let mut needed = vec![false; n];
    for &output in &stores {
        needed[usize::from(kernel.outputs[output])] = true;
    }
    for i in (0..n).rev() {
        if needed[i] && is_computed(i) {
            for &source in sources(&kernel.code[i]) {
                needed[usize::from(source)] = true;
            }
        }
    }
    let has_operands = |i: usize| matches!(kernel.dtypes[i], DType::F32 | DType::Bool);
    if stores.is_empty() || (0..n).any(|i| needed[i] && !has_operands(i)) {
        return None;
    }
    let leaf = |instr: usize| Leaf {
        instr,
        is_bool: kernel.dtypes[instr] == DType::Bool,
        is_uniform: uniform[instr],
    };
    let leaves: Vec<Leaf> = (0..n)
        .filter(|&i| needed[i] && !is_computed(i))
        .map(leaf)
        .collect();
    let results: Vec<Leaf> = stores
        .iter()
        .map(|&output| leaf(usize::from(kernel.outputs[output])))
        .collect();
    let n_operands = (leaves.len() + results.len()) as u32;
    let code = Code::new(PARAMETERS + n_operands);
    let address = |operand: usize| PARAMETERS + operand as u32;

    for operand in 0..n_operands {
        code.write(|code| {
            code.local_get(OPERANDS).i32_load(memory(4 * operand, 2));
            code.local_set(PARAMETERS + operand)
        });
    }
    let mut values: Vec<Option<Value<'_>>> = vec![None; n];
    for (operand, leaf) in leaves.iter().enumerate() {
        if leaf.is_uniform {
            values[leaf.instr] = Some(read_one(&code, address(operand), leaf.is_bool));
        }
    }
    for whole in [true, false] {
        let step = if whole { 4 } else { 1 };
        code.write(|code| {
            code.block(BlockType::Empty).loop_(BlockType::Empty);
            code.local_get(LEN).i32_const(step).i32_lt_u().br_if(1)
        });
        for (operand, leaf) in leaves.iter().enumerate() {
            if !leaf.is_uniform {
                let read = if whole { read_four } else { read_one };
                values[leaf.instr] = Some(read(&code, address(operand), leaf.is_bool));
            }
        }
        for i in 0..n {
            if needed[i] && is_computed(i) {
                values[i] = Some(compute(kernel, i, &values)?);
            }
        }
        for (result, operand) in results.iter().zip(leaves.len()..) {
            let value = values[result.instr]?;
            store(&code, address(operand), result.is_bool, value, whole);
        }
        let moved = leaves.iter().chain(&results).enumerate();
        for (operand, leaf) in moved.filter(|(_, leaf)| !leaf.is_uniform) {
            let bytes = step * if leaf.is_bool { 1 } else { 4 };
            code.write(|code| {
                code.local_get(address(operand)).i32_const(bytes);
                code.i32_add().local_set(address(operand))
            });
        }
        code.write(|code| {
            code.local_get(LEN).i32_const(step).i32_sub();
            code.local_set(LEN).br(0).end().end()
        });
    }
    code.write(code_of!(end));
    let leaves = leaves.iter().map(|leaf| leaf.instr).collect();
    Some((leaves, stores, module(n_operands, code)))
}

fn sources(instr: &Instr) -> &[u16] {
    match instr {
        Instr::Apply { op, src } => &src[..op.arity()],
        Instr::Cast { src, .. } => std::slice::from_ref(src),
        Instr::Load { .. } | Instr::Arg { .. } => &[],
    }
}

fn memory(offset: u32, align: u32) -> MemArg {
    MemArg {
        offset: u64::from(offset),
        align,
        target: MemArgTarget::Memory(0),
        ordering: None,
    }
}

/// One element, in all four lanes.
fn read_one(code: &Code, address: u32, is_bool: bool) -> Value<'_> {
    code.write(|code| {
        code.local_get(address);
        match is_bool {
            true => code.i32_load8_u(memory(0, 0)).i32x4_splat().i32x4_neg(),
            false => code.v128_load32_splat(memory(0, 2)),
        }
    });
    code.value()
}

/// Four elements.
fn read_four(code: &Code, address: u32, is_bool: bool) -> Value<'_> {
    code.write(|code| {
        code.local_get(address);
        match is_bool {
            true => code
                .v128_load32_zero(memory(0, 0))
                .i16x8_extend_low_i8x16_u()
                .i32x4_extend_low_i16x8_u()
                .i32x4_neg(),
            false => code.v128_load(memory(0, 2)),
        }
    });
    code.value()
}

/// Stores four elements, or the first of them.
fn store(code: &Code, address: u32, is_bool: bool, value: Value<'_>, whole: bool) {
    let value = match is_bool {
        true => {
            let words = value.binary(value, code_of!(i16x8_narrow_i32x4_s));
            let bytes = words.binary(words, code_of!(i8x16_narrow_i16x8_s));
            bytes.and(0x0101_0101)
        }
        false => value,
    };
    code.write(|code| code.local_get(address));
    value.get();
    code.write(|code| match (is_bool, whole) {
        (true, true) => code.v128_store32_lane(memory(0, 0), 0),
        (true, false) => code.v128_store8_lane(memory(0, 0), 0),
        (false, true) => code.v128_store(memory(0, 2)),
        (false, false) => code.v128_store32_lane(memory(0, 2), 0),
    });
}

/// The result of an instruction, if it can be computed.
fn compute<'c>(kernel: &Kernel, instr: usize, values: &[Option<Value<'c>>]) -> Option<Value<'c>> {
    let of = |source: u16| values[usize::from(source)];
    match kernel.code[instr] {
        Instr::Apply { op, src } => {
            let last = src[op.arity() - 1];
            let [x, y, z] = [0, 1, 2].map(|k| src[..op.arity()].get(k).unwrap_or(&last));
            let operands = (of(*x)?, of(*y)?, of(*z)?);
            match (op, kernel.dtypes[usize::from(last)]) {
                (AluOp::Select, _) => Some(operands.0.choose(operands.1, operands.2)),
                (_, DType::Bool) => of_bools(op, operands.0, operands.1),
                _ => of_floats(op, operands.0, operands.1),
            }
        }
        Instr::Cast { src, to } => {
            let x = of(src)?;
            match (kernel.dtypes[usize::from(src)], to) {
                (DType::Bool, DType::F32) => Some(x.and(1f32.to_bits())),
                (DType::F32, DType::Bool) => Some(is_set(x)),
                (from, to) => (from == to).then_some(x),
            }
        }
        Instr::Load { .. } | Instr::Arg { .. } => None,
    }
}

/// Where a float32 is not 0; NaN is not.
fn is_set(x: Value<'_>) -> Value<'_> {
    x.binary(Float::constant(x, 0.0), code_of!(f32x4_ne))
}

fn is_nan(x: Value<'_>) -> Value<'_> {
    x.binary(x, code_of!(f32x4_ne))
}

/// The definitions are those of [`crate::ops`].
fn of_floats<'c>(op: AluOp, x: Value<'c>, y: Value<'c>) -> Option<Value<'c>> {
    use AluOp::*;
    let number = |number: f32| Float::constant(x, number);
    Some(match op {
        Exp => math::exp(x),
        Expm1 => math::expm1(x),
        Log => math::log(x),
        Log1p => math::log1p(x),
        Tanh => math::tanh(x),
        Erf => math::erf(x),
        Neg => x.unary(code_of!(f32x4_neg)),
        Abs => x.absolute(),
        Sign => {
            let negative = x.less(number(0.0)).choose(number(-1.0), number(0.0));
            number(0.0).less(x).choose(number(1.0), negative)
        }
        Sqrt => x.unary(code_of!(f32x4_sqrt)),
        Floor => x.unary(code_of!(f32x4_floor)),
        Ceil => x.unary(code_of!(f32x4_ceil)),
        Round => x.unary(code_of!(f32x4_nearest)),
        Trunc => x.unary(code_of!(f32x4_trunc)),
        Not => x.equal(number(0.0)),
        Add => x + y,
        Sub => x - y,
        Mul => x * y,
        Div => x / y,
        Max => (is_nan(x) | y.less(x)).choose(x, y),
        Min => (is_nan(x) | x.less(y)).choose(x, y),
        And => is_set(x) & is_set(y),
        Or => is_set(x) | is_set(y),
        Eq => x.equal(y),
        Lt => x.less(y),
        Le => x.binary(y, code_of!(f32x4_le)),
        Copysign => x.and(0x7fff_ffff) | y.and(0x8000_0000),
        _ => return None,
    })
}

/// As [`of_floats`], of masks.
fn of_bools<'c>(op: AluOp, x: Value<'c>, y: Value<'c>) -> Option<Value<'c>> {
    use AluOp::*;
    let not = |x: Value<'c>| x.unary(code_of!(v128_not));
    let either = |x: Value<'c>, y| x.binary(y, code_of!(v128_xor));
    Some(match op {
        Not | BitNot => not(x),
        Add | Max | Or | BitOr => x | y,
        Mul | Div | Min | And | BitAnd => x & y,
        Sub | BitXor => either(x, y),
        Eq => not(either(x, y)),
        Le => not(x) | y,
        Lt => not(x) & y,
        _ => return None,
    })
}

/// A module of one function on an imported memory.
fn module(n_operands: u32, code: Code) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32; PARAMETERS as usize], []);
    let mut imports = ImportSection::new();
    let memory = MemoryType {
        minimum: 0,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    };
    imports.import("env", "memory", EntityType::Memory(memory));
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut exports = ExportSection::new();
    exports.export("run", ExportKind::Func, 0);
    let (n_locals, constants, instructions) = code.finish();
    let vectors = n_locals - PARAMETERS - n_operands;
    let mut function = Function::new([(n_operands, ValType::I32), (vectors, ValType::V128)]);
    function.raw(constants).raw(instructions);
    let mut code = CodeSection::new();
    code.function(&function);
    Module::new()
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&exports)
        .section(&code)
        .clone()
        .finish()
}
