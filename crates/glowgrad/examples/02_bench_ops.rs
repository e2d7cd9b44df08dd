//! The benchmark `ops`, run by `cargo lab bench ops`: what a call costs before it computes anything,
//! and how fast large tensors pass through elementwise kernels beside a plain copy of the same bytes.
//!
//! `overhead` prints microseconds of one call on eight elements, realised at once; `bandwidth`
//! milliseconds of one pass over 64 MiB. One JSON object a run, one number for each interleaved
//! repetition.

use std::hint::black_box;
use std::time::Instant;

use glowgrad::op::Attrs;
use glowgrad::{Engine, Result, Tensor, ops};

const REPETITIONS: usize = 24;

type Series = Vec<(String, Box<dyn FnMut() -> Result<f64>>)>;

fn call(name: &str, operands: &[Tensor]) -> Result<Tensor> {
    let op = ops::find(name).ok_or_else(|| glowgrad::Error::value(format!("no op {name}")))?;
    Tensor::apply(operands[0].engine(), op, operands, Attrs::new())
}

/// Microseconds of one call of an op on small operands, from the call to the value.
fn overhead(engine: &Engine) -> Result<Series> {
    const CALLS: u32 = 400;
    engine.trace().set_recording(false);
    let x = Tensor::from_f32(engine, &[0.5; 8], &[8])?;
    let square = Tensor::from_f32(engine, &[0.5; 64], &[8, 8])?;
    let mut series: Series = Vec::new();
    for (name, operands) in [
        ("neg", vec![x.clone()]),
        ("add", vec![x.clone(), x.clone()]),
        ("exp", vec![x.clone()]),
        ("max", vec![x.clone()]),
        ("transpose of a view", vec![square.clone()]),
        ("matmul", vec![square.clone(), square]),
    ] {
        series.push((
            name.to_owned(),
            Box::new(move || {
                let began = Instant::now();
                for _ in 0..CALLS {
                    let y = match name {
                        "transpose of a view" => operands[0].transpose(0, 1)?,
                        name => call(name, &operands)?,
                    };
                    y.realize()?;
                    black_box(&y);
                }
                Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS))
            }),
        ));
    }
    Ok(series)
}

/// Milliseconds of one pass over 64 MiB of float32; the first series copies them.
fn bandwidth(engine: &Engine) -> Result<Series> {
    const N: usize = 16 << 20;
    engine.trace().set_recording(false);
    let values: Vec<f32> = (0..N).map(|i| (i % 1000) as f32 * 1e-3).collect();
    let x = Tensor::from_f32(engine, &values, &[N])?;
    let mut copy = vec![0f32; N];
    let mut series: Series = vec![(
        "copy".to_owned(),
        Box::new(move || {
            let began = Instant::now();
            copy.copy_from_slice(black_box(&values));
            black_box(&copy);
            Ok(began.elapsed().as_secs_f64() * 1e3)
        }),
    )];
    let fused = |x: &Tensor| -> Result<Tensor> { x.mul(x)?.add(x)?.relu()?.neg() };
    type Pass = fn(&Tensor) -> Result<Tensor>;
    let passes: [(&str, Pass); 7] = [
        ("neg", |x| x.neg()),
        ("x + x", |x| x.add(x)),
        ("relu", |x| x.relu()),
        ("exp", |x| x.exp()),
        ("tanh", |x| x.tanh()),
        ("−relu(x·x + x), fused", fused),
        ("sum", |x| x.sum()),
    ];
    for (name, pass) in passes {
        let x = x.clone();
        series.push((
            name.to_owned(),
            Box::new(move || {
                let began = Instant::now();
                pass(&x)?.realize()?;
                Ok(began.elapsed().as_secs_f64() * 1e3)
            }),
        ));
    }
    Ok(series)
}

fn main() -> Result<()> {
    let engine = glowgrad::cpu();
    let (unit, mut series) = match std::env::args().nth(1).as_deref() {
        Some("overhead") => ("µs", overhead(&engine)?),
        Some("bandwidth") => ("ms", bandwidth(&engine)?),
        other => {
            eprintln!("which: `overhead` or `bandwidth`? got {other:?}");
            std::process::exit(2);
        }
    };
    let mut numbers = vec![Vec::new(); series.len()];
    for repetition in 0..REPETITIONS + 2 {
        for (numbers, (_, run)) in numbers.iter_mut().zip(&mut series) {
            let number = run()?;
            if repetition >= 2 {
                numbers.push(format!("{number:.4}"));
            }
        }
    }
    let rows: Vec<String> = series
        .iter()
        .zip(&numbers)
        .map(|((name, _), numbers)| format!("\"{name}\": [{}]", numbers.join(", ")))
        .collect();
    println!(
        "{{\"unit\": \"{unit}\", \"series\": {{{}}}}}",
        rows.join(", ")
    );
    Ok(())
}
