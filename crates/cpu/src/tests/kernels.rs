//! Random kernels on random views, against the definition.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use glowgrad_tensor::alu::{AluOp, Value};
use glowgrad_tensor::kernel::{Input, Instr, Kernel};
use glowgrad_tensor::{DType, Scalar, Shape, View};

use super::{ARITHMETIC, Random, every_level, interpret, random_view, run, same};
use AluOp::*;

/// Operations whose results are exact, so that long chains stay comparable.
const EXACT: [AluOp; 30] = [
    Neg, Abs, Sign, Floor, Ceil, Round, Trunc, Not, BitNot, Add, Sub, Mul, Div, Rem, Fmod,
    Copysign, Max, Min, And, Or, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Lt, Le, Select, Sqrt,
];

/// Appends an instruction.
fn push(kernel: &mut Kernel, instr: Instr, dtype: DType) -> u16 {
    kernel.code.push(instr);
    kernel.dtypes.push(dtype);
    (kernel.code.len() - 1) as u16
}

/// An earlier result, cast if it has another dtype.
fn operand(random: &mut Random, kernel: &mut Kernel, dtype: DType) -> u16 {
    let mut src = random.below(kernel.code.len()) as u16;
    // Through a narrow dtype now and then: what is rounded or wrapped there stays so.
    let narrow = DType::ALL[random.below(DType::ALL.len())];
    let way = [
        kernel.dtypes[usize::from(src)].compute(),
        narrow.compute(),
        narrow,
    ];
    for to in way.into_iter().chain([narrow.compute(), dtype]) {
        if kernel.dtypes[usize::from(src)] != to {
            src = push(kernel, Instr::Cast { src, to }, to);
        }
    }
    src
}

pub(super) fn random_kernel(random: &mut Random, shape: &[usize]) -> (Kernel, Vec<Vec<Value>>) {
    let mut kernel = Kernel {
        shape: Shape::from_slice(shape),
        inputs: Vec::new(),
        args: vec![Scalar::Float(2.5), Scalar::Int(-3)],
        fixed: vec![],
        code: Vec::new(),
        dtypes: Vec::new(),
        outputs: Vec::new(),
        reduce: None,
    };
    let mut data = Vec::new();
    for input in 0..random.below(4) as u16 {
        let dtype = DType::ALL[random.below(DType::ALL.len())];
        let (view, len) = random_view(random, shape);
        kernel.inputs.push(Input { view, dtype });
        data.push((0..len).map(|_| random.value(dtype)).collect());
        push(&mut kernel, Instr::Load { input }, dtype);
    }
    for arg in 0..2 {
        let dtype = ARITHMETIC[random.below(5)];
        push(&mut kernel, Instr::Arg { arg, dtype }, dtype);
    }
    for _ in 0..random.below(14) {
        let op = EXACT[random.below(EXACT.len())];
        let dtype = ARITHMETIC[random.below(5)];
        let mut src = [0; 3];
        for (i, src) in src.iter_mut().enumerate().take(op.arity()) {
            let dtype = if op == Select && i == 0 {
                DType::Bool
            } else {
                dtype
            };
            *src = operand(random, &mut kernel, dtype);
        }
        let dtype = if op.is_predicate() {
            DType::Bool
        } else {
            dtype
        };
        push(&mut kernel, Instr::Apply { op, src }, dtype);
    }
    (kernel, data)
}

const SHAPES: [&[usize]; 14] = [
    &[],
    &[1],
    &[8],
    &[1023],
    &[1025],
    &[5000],
    &[3, 1],
    &[33, 70],
    &[1, 1500, 2],
    &[4, 3, 2, 5],
    &[0],
    &[3, 0, 2],
    &[7, 1030],
    &[2, 3, 1, 4, 50],
];

#[test]
fn random_kernels_are_what_the_oracle_says() {
    let rounds = if cfg!(target_arch = "wasm32") { 8 } else { 60 };
    every_level(|level| {
        let mut random = Random(11);
        for round in 0..rounds * SHAPES.len() {
            let (mut kernel, data) = random_kernel(&mut random, SHAPES[round % SHAPES.len()]);
            for _ in 0..1 + random.below(3) {
                kernel.outputs.push(random.below(kernel.code.len()) as u16);
            }
            let expected = interpret(&kernel, &data);
            for (output, got) in kernel.outputs.iter().zip(run(level, &kernel, &data)) {
                assert_eq!(got.len(), expected.len());
                for (at, got) in got.into_iter().enumerate() {
                    let expected = expected[at][usize::from(*output)];
                    assert!(
                        same(got, expected),
                        "{got:?} at {at}, not {expected:?}, output {output} of {kernel:#?}"
                    );
                }
            }
        }
    });
}

#[test]
fn transposed_inputs_of_every_size() {
    for shape in [
        [8, 70],
        [70, 8],
        [70, 70],
        [300, 3],
        [3, 300],
        [9, 8192],
        [20, 8193],
        [513, 17],
    ] {
        for (batch, dtype) in [
            (1, DType::F32),
            (3, DType::F32),
            (3, DType::Bool),
            (2, DType::I64),
        ] {
            let [m, n] = shape;
            for flip in [false, true] {
                let mut view = View::contiguous(&[batch, n, m]).permute(&[0, 2, 1]);
                if flip {
                    view = view.flip(&[2]);
                }
                let kernel = Kernel {
                    shape: Shape::from_slice(&[batch, m, n]),
                    inputs: vec![Input { view, dtype }],
                    args: vec![],
                    fixed: vec![],
                    code: vec![Instr::Load { input: 0 }],
                    dtypes: vec![dtype],
                    outputs: vec![0],
                    reduce: None,
                };
                let mut random = Random(13);
                let data: Vec<Value> = (0..batch * m * n).map(|_| random.value(dtype)).collect();
                let got =
                    run(crate::Level::detect(), &kernel, std::slice::from_ref(&data)).remove(0);
                for (got, at) in got.into_iter().zip(kernel.inputs[0].view.positions()) {
                    assert!(same(got, data[at]), "{kernel:?}");
                }
            }
        }
    }
}

#[test]
fn a_broadcast_row_longer_than_a_pattern() {
    let n = 5000;
    let view = View::contiguous(&[n]).expand(&[3, n]);
    let kernel = Kernel {
        shape: Shape::from_slice(&[3, n]),
        inputs: vec![Input {
            view,
            dtype: DType::F32,
        }],
        args: vec![],
        fixed: vec![],
        code: vec![
            Instr::Load { input: 0 },
            Instr::Apply {
                op: Neg,
                src: [0; 3],
            },
        ],
        dtypes: vec![DType::F32; 2],
        outputs: vec![1],
        reduce: None,
    };
    let row: Vec<Value> = (0..n).map(|i| Value::F32(i as f32)).collect();
    every_level(|level| {
        let got = run(level, &kernel, std::slice::from_ref(&row)).remove(0);
        for (at, got) in got.into_iter().enumerate() {
            assert_eq!(got, Value::F32(-((at % n) as f32)));
        }
    });
}
