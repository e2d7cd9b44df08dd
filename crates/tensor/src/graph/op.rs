//! What an op is: one [`Op`] value in one file holds its name, formula, shape and dtype rule,
//! gradient, samples and docs. The registry in `ops/` lists them; everything else (the Python
//! module, the tests, the stage's descriptions) reads that list.

use smallvec::SmallVec;

use crate::Result;
use crate::alu::Body;
use crate::dtype::{DType, Scalar};
use crate::fused_op::FusedOp;
use crate::graph::{Engine, GraphValue, Operand};
use crate::kernel::{ReduceOp, Routine};
use crate::node::{Node, NodeRef};
use crate::shape::Shape;
use crate::view::View;

/// An argument of an op that is not a tensor.
#[derive(Debug, Clone, PartialEq)]
pub enum Attr {
    /// Not given.
    None,
    /// A flag.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// Sizes, dimensions.
    Ints(SmallVec<[i64; 6]>),
    /// A dtype.
    DType(DType),
    /// A word, such as a reduction.
    Str(&'static str),
}

impl Attr {
    /// A list of integers.
    pub fn ints(list: &[i64]) -> Attr {
        Attr::Ints(SmallVec::from_slice(list))
    }

    /// The integer, or 0.
    pub fn as_int(&self) -> i64 {
        match self {
            Attr::Int(i) => *i,
            Attr::Bool(b) => i64::from(*b),
            _ => 0,
        }
    }

    /// The number, or 0.
    pub fn as_float(&self) -> f64 {
        match self {
            Attr::Float(x) => *x,
            Attr::Int(i) => *i as f64,
            Attr::Bool(b) => f64::from(u8::from(*b)),
            _ => 0.0,
        }
    }

    /// Whether it is a true flag.
    pub fn as_bool(&self) -> bool {
        matches!(self, Attr::Bool(true))
    }

    /// The list; one integer counts as a list of one, `None` as an empty list.
    pub fn as_ints(&self) -> &[i64] {
        match self {
            Attr::Ints(list) => list,
            Attr::Int(i) => std::slice::from_ref(i),
            _ => &[],
        }
    }

    /// The word, or an empty one.
    pub fn as_str(&self) -> &'static str {
        match self {
            Attr::Str(s) => s,
            _ => "",
        }
    }
}

/// The attributes of a node, in the order of the op's attribute parameters.
pub type Attrs = SmallVec<[Attr; 3]>;

/// What kind of argument a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// A tensor or a number.
    Tensor,
    /// A list of tensors (only as the first parameter).
    Tensors,
    /// An integer.
    Int,
    /// A list of integers; one integer or none count as lists.
    Ints,
    /// A number.
    Float,
    /// A flag.
    Bool,
    /// A dtype.
    DType,
    /// One of a few words.
    Word(&'static [&'static str]),
}

/// A parameter of an op, as in PyTorch's signature.
#[derive(Debug, Clone)]
pub struct Param {
    /// PyTorch's name for it.
    pub name: &'static str,
    /// What it takes.
    pub kind: ParamKind,
    /// The value when it is left out; none where it must be given.
    pub default: Option<Attr>,
}

/// A parameter that must be given.
pub const fn param(name: &'static str, kind: ParamKind) -> Param {
    Param {
        name,
        kind,
        default: None,
    }
}

/// A parameter with a default.
pub const fn optional(name: &'static str, kind: ParamKind, default: Attr) -> Param {
    Param {
        name,
        kind,
        default: Some(default),
    }
}

/// In which dtype an op's operands meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promote {
    /// They are taken as they are.
    Keep,
    /// In their common dtype.
    Common,
    /// In their common dtype, integers and bools as the default float.
    Float,
    /// The operands after the first in their common dtype (`where`).
    Rest,
}

/// Shape and dtype of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// Sizes.
    pub shape: Shape,
    /// Element type.
    pub dtype: DType,
}

/// How an op computes.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Already there, or an alias of its last source.
    Leaf,
    /// Each element on its own; number attributes follow the operands of the body.
    Elementwise(Body),
    /// Along the axes `dims(op, attrs[0])`, kept with size 1.
    Reduce(ReduceOp),
    /// A view of its source.
    Movement(fn(&View, &Node) -> Option<View>),
    /// A routine; the scheduler builds its arguments from the views of its sources.
    Routine(RoutineKind),
    /// Written in other ops.
    Composite(fn(&Call) -> Result<GraphValue>),
}

/// Which routine computes a node of an op.
#[derive(Debug, Clone, Copy)]
pub enum RoutineKind {
    /// [`Routine::MatMul`], which reads its sources through their views.
    MatMul,
    /// [`Routine::CopyInto`], which reads what it writes through its views.
    CopyInto,
    /// [`Routine::FusedOp`] of row-major sources.
    FusedOp(fn(&Node) -> FusedOp),
    /// The one that a function names for a node and its sources, which are copied row-major where they are not;
    /// none if the node does not fit. Those of several ops stand in `graph/routine.rs`.
    Of(fn(&Node, &[NodeRef]) -> Option<Routine>),
}

/// An op's gradient.
#[derive(Clone, Copy)]
pub enum Vjp {
    /// Its rule, written in tensor ops: one gradient for each operand that wants one.
    Rule(fn(&Backprop) -> Result<Grads>),
    /// Through the ops it is written in.
    Lowered,
    /// None; the reason completes "… is not differentiable: …".
    None(&'static str),
}

/// Gradients for the operands, in order.
pub type Grads = SmallVec<[Option<GraphValue>; 3]>;

/// What a composite is written with.
pub struct Call<'a> {
    /// The node being lowered.
    pub node: &'a NodeRef,
    /// Its operands.
    pub src: SmallVec<[GraphValue; 3]>,
}

impl Call<'_> {
    /// Attribute number `i`.
    pub fn attr(&self, i: usize) -> &Attr {
        &self.node.attrs[i]
    }
}

/// What a gradient rule is written with.
pub struct Backprop<'a> {
    /// The node whose rule runs.
    pub node: &'a NodeRef,
    /// Its operands.
    pub src: SmallVec<[GraphValue; 3]>,
    /// Its value.
    pub y: GraphValue,
    /// The gradient that came in, with the shape and dtype of the value.
    pub gy: GraphValue,
}

impl Backprop<'_> {
    /// Attribute number `i`.
    pub fn attr(&self, i: usize) -> &Attr {
        &self.node.attrs[i]
    }

    /// Whether operand `i` wants a gradient.
    pub fn needs(&self, i: usize) -> bool {
        self.src[i].node().needs_grad
    }
}

/// Bits of [`Op::saves`] and [`Op::reads`]: operand 0.
pub const SAVE_A: u8 = 1;
/// Operand 1.
pub const SAVE_B: u8 = 2;
/// Operand 2.
pub const SAVE_C: u8 = 4;
/// Operand 3.
pub const SAVE_D: u8 = 8;
/// Every operand.
pub const SAVE_OPERANDS: u8 = 127;
/// The result.
pub const SAVE_Y: u8 = 128;

/// Whether operand `i` is among these bits.
pub(crate) fn has_operand(saved: u8, i: usize) -> bool {
    i < 7 && saved & (SAVE_A << i) != 0
}

/// Whether a function takes `out=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Out {
    /// It does not.
    None,
    /// A tensor of the result's dtype.
    Same,
    /// A tensor of a dtype that the result can be cast to.
    Cast,
    /// A tensor of any dtype: it is the `dtype=` of the call.
    Computes,
}

/// How Python shows an op or a call: what differs from a function that has its name and parameters.
#[derive(Debug, Clone, Copy)]
pub struct PythonFace {
    /// Its name in Python; empty where it is the op's.
    pub name: &'static str,
    /// The op behind which PyTorch hides it; empty where it stands for itself.
    pub part_of: &'static str,
    /// Whether a part is a second form of its op, with a signature that a reader needs.
    pub is_form: bool,
    /// The parameters of the Python function; empty where they are the op's.
    pub signature: &'static str,
    /// Whether Python writes a method around it.
    pub has_method: bool,
    /// Whether it is a method and no function of `torch`.
    pub method_alone: bool,
}

impl PythonFace {
    /// A function of the op's name and parameters.
    pub const PLAIN: PythonFace = PythonFace {
        name: "",
        part_of: "",
        is_form: false,
        signature: "",
        has_method: false,
        method_alone: false,
    };
}

/// What the letter `n` stands for in an op's formula and rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// Nothing, or an argument.
    Nothing,
    /// How many elements became one.
    Reduced,
    /// How many elements the second operand has.
    Targets,
}

/// What an op makes of an infinity that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Infinities {
    /// An element that depends on an infinity is infinite or NaN: arithmetic, sums, products.
    Carries,
    /// Its result is made of elements of its operands, or of an option, wherever they lie; an infinity that is left
    /// out is gone: `max`, `gather`, `where`. So are the sums of exponentials, which begin with the largest.
    Chooses,
    /// −∞ marks an element that weighs nothing: `exp`, `softmax`.
    MasksMinus,
    /// +∞ marks an element that weighs nothing: `softmin`.
    MasksPlus,
    /// Its result says something of an element and passes nothing of it on: `sign`, `argmax`.
    Asks,
}

/// Where finite operands give an infinity that is no number beyond the dtype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Poles {
    /// Nowhere.
    None,
    /// Where the operand of this number is 0.
    Zero(u8),
    /// Elsewhere, or there too, and the result is never beyond its dtype: `log1p(−1)`.
    Elsewhere,
}

/// What [`Op::prepare`] is.
pub type Prepare = fn(&'static Op, &mut Vec<Operand>, &mut Attrs) -> Result<()>;

/// One op, defined once.
pub struct Op {
    /// PyTorch's name: `tanh`.
    pub name: &'static str,
    /// What `grad_fn` prints: `TanhBackward0`.
    pub grad_fn: &'static str,
    /// Where PyTorch's name depends on the call.
    pub grad_fn_for: fn(&Node) -> Option<&'static str>,
    /// What the stage writes on the node: `+`, `@`, `tanh`.
    pub symbol: &'static str,
    /// `y = tanh(a)`.
    pub formula: &'static str,
    /// The local rule for each operand, with `{gy} {y} {a} {b} {c}`.
    pub rules: &'static [&'static str],
    /// One sentence.
    pub doc: &'static str,
    /// The arguments: tensors first.
    pub params: &'static [Param],
    /// Where operands meet.
    pub promote: Promote,
    /// The op and attributes that a call with these attributes is: `div` with a rounding mode is
    /// another op than `div` without.
    pub variant: fn(&'static Op, Attrs) -> (&'static Op, Attrs),
    /// Refuses operands as they were given, before they meet in one dtype. Those of an op that takes a list may be none.
    pub check: fn(&Op, &[NodeRef]) -> Result<()>,
    /// Shape and dtype of the result.
    pub infer: fn(&Op, &[NodeRef], &Attrs) -> Result<Meta>,
    /// Completes a call with what only tensors know: the values of indices, strides, storage. Rules
    /// and composites call ops of nodes, which must be complete already.
    pub prepare: Option<Prepare>,
    /// How it computes.
    pub kind: Kind,
    /// Its gradient.
    pub vjp: Vjp,
    /// What PyTorch saves for the gradient of operand 0, of operand 1, and of each later one: where it
    /// was written over, `backward()` raises.
    pub saves: [u8; 3],
    /// What the gradient rule reads besides: PyTorch saves what it made of it, and a write is no error.
    pub reads: u8,
    /// Where tests draw operands from, as an interval for each operand.
    pub domain: (f64, f64),
    /// Whether each element is rounded once or not at all, so that every backend gives the same bits.
    pub exact: bool,
    /// Whether a Python number beside half-width floats keeps the digits of a float32, as in
    /// PyTorch's kernels of products and quotients; elsewhere it is rounded to their dtype first.
    pub wide_numbers: bool,
    /// Operands, as bits from the first on, that have no gradient although they are floats.
    pub constants: u8,
    /// Whether the result has the elements of its operand, one for one: a copy or an alias, in its dtype or another.
    pub same_elements: bool,
    /// The op of a call whose second operand is a plain number, where PyTorch has another one for it: `pow`.
    pub with_number: Option<&'static Op>,
    /// Whether the operands after the first are indices, which may lie on the first device.
    pub indexes: bool,
    /// Parameters, as bits from the first on, that take a number for a tensor although they are the first, or operands
    /// are taken as they are ([`Promote::Keep`]).
    pub numbers: u8,
    /// Calls that tests make: `[2,3] dim=1`. `[2,3]` is a tensor from the domain, `[2,3]@0.5..2` one
    /// from another, `[2,3]T` one with its last dimensions transposed, `[2,3]?` a mask, `[4]<3`
    /// indices below 3, `[4]>3` whole numbers from 1 to 3, `{[2] [3]}` a list; then numbers and keywords as in Python.
    pub samples: &'static [&'static str],
    /// A call for the reference, in Python; empty where one of the samples' kind is made.
    pub example: &'static str,
    /// Whether it is also a method of `Tensor`.
    pub method: bool,
    /// Whether its function takes `out=`, a tensor that is written.
    pub out: Out,
    /// Whether it is a function of `torch.nn.functional`.
    pub functional: bool,
    /// How Python shows it.
    pub python: &'static PythonFace,
    /// How many of its input's dimensions are those of an image; 0 where it has none.
    pub spatial: u8,
    /// What `n` is in its formula.
    pub counts: Counts,
    /// Whether it computes element by element, though it is written in other ops.
    pub element_by_element: bool,
    /// What it makes of an infinity that it reads. An op says so where it does not carry it; a view, and an op whose
    /// result is bool, need not ([`Op::infinities_of`]). The stage names the first infinity of a step by it.
    pub infinities: Infinities,
    /// Where finite operands give an infinity. Of an op that names no pole it is a result beyond its dtype.
    pub poles: Poles,
}

/// A call that gives several tensors, each made by ops of its own: `sort`, `split`, `var_mean`.
pub struct MultiOutputOp {
    /// PyTorch's name: `sort`.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// The arguments: tensors first.
    pub params: &'static [Param],
    /// Names of the results where PyTorch names them; empty where they are a plain tuple.
    pub fields: &'static [&'static str],
    /// The ops that the call makes and no other name has: by these and its name, `sort:1`, a graph's text names them.
    pub parts: &'static [&'static Op],
    /// What makes the results.
    pub call: fn(&Engine, &[Operand], &Attrs) -> Result<Vec<Operand>>,
    /// Calls that tests make, as in [`Op::samples`].
    pub samples: &'static [&'static str],
    /// As [`Op::domain`].
    pub domain: (f64, f64),
    /// As [`Op::example`].
    pub example: &'static str,
    /// Whether it is also a method of `Tensor`.
    pub method: bool,
    /// Whether any of its results has a gradient.
    pub is_differentiable: bool,
    /// How Python shows it.
    pub python: &'static PythonFace,
}

impl std::fmt::Debug for MultiOutputOp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Op {
    /// The parameters that are not tensors.
    pub fn attr_params(&self) -> impl Iterator<Item = &'static Param> {
        self.params
            .iter()
            .filter(|p| !matches!(p.kind, ParamKind::Tensor | ParamKind::Tensors))
    }

    /// The number of tensor operands, or none for a list.
    pub fn n_operands(&self) -> Option<usize> {
        if self.params.iter().any(|p| p.kind == ParamKind::Tensors) {
            return None;
        }
        Some(
            self.params
                .iter()
                .filter(|p| p.kind == ParamKind::Tensor)
                .count(),
        )
    }

    /// What the gradient rule reads, for whichever operand.
    pub fn kept(&self) -> u8 {
        self.saved() | self.reads
    }

    /// What PyTorch saves, for whichever operand.
    pub fn saved(&self) -> u8 {
        let [first, second, later] = self.saves;
        first | second | later
    }

    /// The attribute parameter of a name, as its place among a node's attributes.
    pub fn attr_place(&self, name: &str) -> Option<usize> {
        self.attr_params().position(|param| param.name == name)
    }

    /// What it makes of an infinity that it reads, where its result has this dtype.
    pub fn infinities_of(&self, result: DType) -> Infinities {
        match (self.infinities, self.kind) {
            (Infinities::Carries, _) if result == DType::Bool => Infinities::Asks,
            (Infinities::Carries, Kind::Movement(_)) => Infinities::Chooses,
            (infinities, _) => infinities,
        }
    }

    /// Whether it has a gradient.
    pub fn is_differentiable(&self) -> bool {
        !matches!(self.vjp, Vjp::None(_))
    }
}

/// The number an attribute holds when it is an operand of a scalar body.
pub fn attr_scalar(attr: &Attr) -> Option<Scalar> {
    match attr {
        Attr::Float(x) => Some(Scalar::Float(*x)),
        Attr::Int(i) => Some(Scalar::Int(*i)),
        Attr::Bool(b) => Some(Scalar::Int(i64::from(*b))),
        _ => None,
    }
}

/// The sample calls of an op, where the build has them: tests and the reference read them, a page does
/// not and goes without their bytes.
pub(crate) const fn samples(calls: &'static [&'static str]) -> &'static [&'static str] {
    if cfg!(feature = "samples") {
        calls
    } else {
        &[]
    }
}

/// How Python shows an op, where the build has the samples: the reference reads it.
pub(crate) const fn face(python: &'static PythonFace) -> &'static PythonFace {
    if cfg!(feature = "samples") {
        python
    } else {
        &PythonFace::PLAIN
    }
}

/// The example of an op, where the build has the samples.
pub(crate) const fn example(code: &'static str) -> &'static str {
    if cfg!(feature = "samples") { code } else { "" }
}
