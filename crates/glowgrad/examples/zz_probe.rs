use glowgrad::{samples::*, *};
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    for op in ops::all() {
        for dtype in DType::ALL {
            let texts = texts(op).unwrap();
            let r = std::panic::catch_unwind(|| {
                let engine = glowgrad::cpu();
                let s = sample(&engine, (op.name, op.params), op.domain, dtype, &mut Numbers::new(7), texts[0])?;
                let y = Tensor::apply(&engine, op, &s.operands, s.attrs)?;
                y.realize()?;
                Ok::<_, Error>(())
            });
            if r.is_err() { println!("PANIC {} {}", op.name, dtype); }
        }
    }
    for op in ops::several() {
        for dtype in DType::ALL {
            let r = std::panic::catch_unwind(|| {
                let engine = glowgrad::cpu();
                let s = sample(&engine, (op.name, op.params), op.domain, dtype, &mut Numbers::new(7), op.samples[0])?;
                for y in (op.call)(&engine, &s.operands, &s.attrs)? { y.realize()?; }
                Ok::<_, Error>(())
            });
            if r.is_err() { println!("PANIC {} {}", op.name, dtype); }
        }
    }
}
