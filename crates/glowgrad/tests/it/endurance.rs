//! Long chains, long loops and many pending nodes: no stack overflow, no leak, no quadratic time.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::{Engine, Index, Result, Scalar, Tensor, ops};

use crate::suite::training::Network;

const DEEP: usize = 100_000;

fn number(engine: &Engine, x: f64) -> Tensor {
    Tensor::number(engine, Scalar::Float(x))
}

/// Runs on a stack no larger than a wasm module's.
fn on_a_small_stack(run: fn() -> Result<()>) {
    let thread = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(run)
        .expect("a thread");
    thread
        .join()
        .expect("no overflow, no panic")
        .expect("no error");
}

#[test]
fn a_chain_of_100_000_adds_builds_runs_walks_back_and_drops() {
    on_a_small_stack(|| {
        let engine = glowgrad::cpu();
        let x = Tensor::from_f32(&engine, &[1.0, 2.0], &[2])?;
        x.set_requires_grad(true)?;
        let one = number(&engine, 1.0);
        let mut y = x.clone();
        for _ in 0..DEEP {
            y = y.add(&one)?;
        }
        assert_eq!(y.to_f64()?, [100_001.0, 100_002.0]);
        y.sum()?.backward(None, Default::default())?;
        assert_eq!(x.grad().expect("a gradient").to_f64()?, [1.0, 1.0]);
        Ok(())
    });
}

#[test]
fn a_chain_of_100_000_products_walks_back() {
    on_a_small_stack(|| {
        let engine = glowgrad::cpu();
        let x = Tensor::from_f64(&engine, &[2.0], &[1])?;
        x.set_requires_grad(true)?;
        let factor = number(&engine, 1.00001);
        let mut y = x.clone();
        for _ in 0..DEEP {
            y = y.mul(&factor)?.contiguous()?;
        }
        y.sum()?.backward(None, Default::default())?;
        let expected = 1.00001f64.powi(DEEP as i32);
        let got = x.grad().expect("a gradient").to_f64()?[0];
        assert!(
            (got / expected - 1.0).abs() < 1e-9,
            "{got}, expected {expected}"
        );
        Ok(())
    });
}

#[test]
fn a_chain_of_100_000_views_costs_as_many_steps() {
    on_a_small_stack(|| {
        let engine = glowgrad::cpu();
        let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
        x.set_requires_grad(true)?;
        let mut y = x.clone();
        for _ in 0..DEEP {
            y = y.transpose(0, 1)?;
        }
        assert_eq!(y.to_f64()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        y.sum()?.backward(None, Default::default())?;
        assert_eq!(x.grad().expect("a gradient").to_f64()?, [1.0; 6]);
        Ok(())
    });
}

#[test]
fn chains_of_views_and_copies_stay_shallow() {
    on_a_small_stack(|| {
        let engine = glowgrad::cpu();
        let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
        let mut y = x.clone();
        for _ in 0..20_000 {
            // A transpose that cannot be reshaped in place: a copy each time.
            y = y.transpose(0, 1)?.reshape(&[2, 3])?;
        }
        let mut model = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        for _ in 0..20_000 {
            model = [0, 3, 1, 4, 2, 5].iter().map(|&i| model[i]).collect();
        }
        assert_eq!(y.to_f64()?, model);
        Ok(())
    });
}

#[test]
fn in_place_writes_without_a_read_do_not_pile_up() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = Tensor::full(&engine, &[4, 4], Scalar::Float(0.0), glowgrad::DType::F32)?;
    let row = x.get(&[Index::Int(1)])?;
    let add = ops::find("add").expect("an op");
    for _ in 0..20_000 {
        row.apply_in_place(add, &[number(&engine, 1.0)], Default::default())?;
    }
    assert_eq!(x.sum()?.item()?, Scalar::Float(80_000.0));
    let live = engine.trace().memory().live;
    assert!(live < 4096, "{live} bytes are held");
    Ok(())
}

#[test]
fn more_pending_results_than_the_limit_all_keep_their_values() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = Tensor::from_f32(&engine, &[1.0], &[1])?;
    let results: Vec<Tensor> = (0..10_000)
        .map(|i| x.add(&number(&engine, f64::from(i))))
        .collect::<Result<_>>()?;
    for (i, result) in results.iter().enumerate() {
        assert_eq!(result.to_f64()?, [1.0 + i as f64]);
    }
    Ok(())
}

/// Bytes held after a number of steps.
fn live_after(engine: &Engine, network: &Network, steps: usize) -> Result<usize> {
    for _ in 0..steps {
        network.step()?.item()?;
    }
    Ok(engine.trace().memory().live)
}

#[test]
fn two_thousand_training_steps_hold_no_more_than_three() -> Result<()> {
    for (momentum, recording) in [(false, true), (false, false), (true, false)] {
        let engine = glowgrad::cpu();
        engine.trace().set_recording(recording);
        let network = Network::new(&engine, 8, momentum)?;
        let early = live_after(&engine, &network, 3)?;
        let late = live_after(&engine, &network, 1997)?;
        assert_eq!(early, late, "momentum {momentum}, recording {recording}");
    }
    Ok(())
}

#[test]
fn ten_thousand_recorded_training_steps_hold_no_more_than_three() -> Result<()> {
    let engine = glowgrad::cpu();
    let network = Network::new(&engine, 8, true)?;
    let early = live_after(&engine, &network, 3)?;
    for thousand in 1..=10 {
        let steps = if thousand == 1 { 997 } else { 1000 };
        let late = live_after(&engine, &network, steps)?;
        assert_eq!(early, late, "after {thousand},000 steps");
    }
    Ok(())
}

#[test]
fn a_running_total_and_kept_losses_do_not_keep_the_past() -> Result<()> {
    let engine = glowgrad::cpu();
    let network = Network::new(&engine, 8, false)?;
    let mut total = Tensor::full(&engine, &[], Scalar::Float(0.0), glowgrad::DType::F32)?;
    let mut losses = Vec::new();
    let mut held = Vec::new();
    for step in 0..200 {
        let loss = network.step()?;
        total = total.add(&loss.detach())?;
        losses.push(loss);
        if step % 50 == 49 {
            total.item()?;
            held.push(engine.trace().memory().live as i64);
        }
    }
    // A kept loss is its number; the graph behind it has gone.
    let growth = (held[3] - held[1]) / 100;
    assert!(growth <= 64, "{growth} bytes stay with each step: {held:?}");
    assert!(losses.iter().all(|loss| loss.item().is_ok()));
    Ok(())
}

#[test]
fn values_flow_on_without_their_past_under_no_grad() -> Result<()> {
    let engine = glowgrad::cpu();
    engine.set_grad_enabled(false);
    let w = Tensor::from_f32(&engine, &[0.5; 16], &[4, 4])?;
    let mut h = Tensor::from_f32(&engine, &[1.0; 16], &[4, 4])?;
    let mut held = Vec::new();
    for step in 0..9_000 {
        h = h
            .matmul(&w)?
            .softmax(1)?
            .reshape(&[4, 4])?
            .transpose(0, 1)?;
        h.realize()?;
        if step % 3_000 == 2_999 {
            held.push(engine.trace().memory().live);
        }
    }
    assert!(held[2] <= held[0] + 1024, "{held:?}");
    Ok(())
}
