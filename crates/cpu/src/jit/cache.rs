//! Which bodies have a function.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use glowgrad_tensor::alu::AluOp;
use glowgrad_tensor::kernel::{Input, Instr, Kernel};
use glowgrad_tensor::{DType, Shape, View};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::{Function, body};

/// Compiles a module that imports its memory as `env.memory`, and puts its function `run` into the table of functions,
/// at the place given or at a new one. Gives the place.
pub type Compiler = fn(module: &[u8], place: Option<usize>) -> Option<usize>;

/// Positions below which a run is not worth a look at the cache.
const FEW: usize = 256;
/// Most functions that are kept; behind them all are dropped, and their places used again.
const MOST: usize = 1000;
/// Most instructions of a body.
const LONGEST: usize = 256;

/// A body and what has come of it.
struct Body {
    code: Vec<Instr>,
    dtypes: Vec<DType>,
    outputs: Vec<u16>,
    /// A bit for each input that is the same everywhere.
    uniform: u64,
    state: State,
}

enum State {
    /// Interpreted so far; so many instructions have run.
    Interpreted(usize),
    Compiled(Rc<Function>),
    /// Something in it cannot be compiled.
    Refused,
}

#[derive(Default)]
struct Cache {
    compiler: Option<Compiler>,
    /// Instructions of a body that run before it is compiled.
    least_work: usize,
    bodies: FxHashMap<u64, Body>,
    /// Places in the table that were used and are free.
    free: Vec<usize>,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// Has kernels compiled once `least_work` of their instructions were interpreted; none with no compiler.
///
/// # Safety
/// The compiler's module computes in this module's memory, and the place it gives is one of this module's table, which
/// keeps the function there until the compiler is called with this place again.
#[allow(unsafe_code, reason = "functions are called by the places it gives")]
pub unsafe fn use_compiler(compiler: Option<Compiler>, least_work: usize) {
    CACHE.with_borrow_mut(|cache| {
        cache.release();
        (cache.compiler, cache.least_work) = (compiler, least_work);
    });
}

impl Cache {
    fn release(&mut self) {
        for (_, body) in self.bodies.drain() {
            if let State::Compiled(function) = body.state {
                self.free.push(function.place);
            }
        }
    }
}

pub(super) fn function(
    kernel: &Kernel,
    is_uniform: impl Fn(usize) -> bool,
    total: usize,
) -> Option<Rc<Function>> {
    CACHE.with_borrow_mut(|cache| {
        let compiler = cache.compiler?;
        let n_inputs = kernel.inputs.len();
        let small = total < FEW && cache.least_work > 0;
        if small || n_inputs > 64 || kernel.code.len() > LONGEST {
            return None;
        }
        let uniform = (0..n_inputs).filter(|&input| is_uniform(input));
        let uniform = uniform.fold(0, |bits, input| bits | 1 << input);
        let mut hasher = FxHasher::default();
        (&kernel.code, &kernel.dtypes, &kernel.outputs, uniform).hash(&mut hasher);
        let hash = hasher.finish();
        if cache.bodies.len() >= MOST && !cache.bodies.contains_key(&hash) {
            cache.release();
        }
        let (least_work, free) = (cache.least_work, &mut cache.free);
        let body = match cache.bodies.entry(hash) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Body {
                code: kernel.code.clone(),
                dtypes: kernel.dtypes.clone(),
                outputs: kernel.outputs.clone(),
                uniform,
                state: State::Interpreted(0),
            }),
        };
        let is_same = body.code == kernel.code
            && body.dtypes == kernel.dtypes
            && body.outputs == kernel.outputs
            && body.uniform == uniform;
        if !is_same {
            return None;
        }
        if let State::Interpreted(work) = &mut body.state {
            *work = work.saturating_add(total.saturating_mul(kernel.code.len()));
            if *work >= least_work {
                let function = compile(kernel, uniform, compiler, free);
                body.state = function.map_or(State::Refused, |f| State::Compiled(Rc::new(f)));
            }
        }
        match &body.state {
            State::Compiled(function) => Some(function.clone()),
            State::Interpreted(_) | State::Refused => None,
        }
    })
}

/// The body of [`super::exp_of`].
fn exp_of_a_difference() -> Kernel {
    let input = || Input {
        view: View::contiguous(&[1]),
        dtype: DType::F32,
    };
    let code = vec![
        Instr::Load { input: 0 },
        Instr::Load { input: 1 },
        Instr::Apply {
            op: AluOp::Sub,
            src: [0, 1, 0],
        },
        Instr::Apply {
            op: AluOp::Exp,
            src: [2, 0, 0],
        },
    ];
    Kernel {
        shape: Shape::from_slice(&[1]),
        inputs: vec![input(), input()],
        args: vec![],
        fixed: vec![],
        dtypes: vec![DType::F32; code.len()],
        code,
        outputs: vec![3],
        reduce: None,
    }
}

#[allow(unsafe_code, reason = "hands addresses to a function")]
pub(super) fn exp_of(row: &mut [f32], b: f32) -> bool {
    thread_local! {
        static KERNEL: Kernel = exp_of_a_difference();
    }
    let function = KERNEL.with(|kernel| function(kernel, |input| input == 1, row.len()));
    let Some(function) = function else {
        return false;
    };
    let row_at = row.as_mut_ptr().cast::<u8>().cast_const();
    let operands = [row_at, (&raw const b).cast(), row_at];
    // SAFETY: a row is read and written element by element, `b` is one element that is the same everywhere.
    unsafe { function.call(&operands, row.len()) };
    true
}

fn compile(
    kernel: &Kernel,
    uniform: u64,
    compiler: Compiler,
    free: &mut Vec<usize>,
) -> Option<Function> {
    let (leaves, stores, module) = body::write(kernel, |input| uniform >> input & 1 == 1)?;
    let place = free.last().copied();
    let compiled = compiler(&module, place)?;
    if place.is_some() {
        free.pop();
    }
    Some(Function {
        leaves: SmallVec::from_vec(leaves),
        stores: SmallVec::from_vec(stores),
        place: compiled,
    })
}
