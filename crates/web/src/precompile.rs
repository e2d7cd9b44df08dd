//! Shaders compiled beside the page: `createComputePipelineAsync`, which wgpu does not call, on the device
//! behind it. A browser keeps pipelines by what they are made of, and has these when wgpu asks for the same.

use std::any::Any;

use glowgrad::gpu::{Device, Wanted};
use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::suspend;

/// `GPUShaderStage.COMPUTE`.
const COMPUTE: u32 = 4;

/// Compiles all at once; tells after each how many are done.
pub(crate) fn compile(
    device: &Device,
    wanted: &[Wanted<'_>],
    tell: &dyn Fn(usize),
) -> Box<dyn Any> {
    let asked: Vec<Promise> = match device.as_webgpu() {
        Some(device) => {
            let asked = wanted.iter().map(|wanted| ask(device, wanted));
            asked.filter_map(Result::ok).collect()
        }
        None => Vec::new(),
    };
    let mut made = Vec::new();
    for (i, promise) in asked.iter().enumerate() {
        // One that is refused is refused again when wgpu asks, and then the device says why.
        made.extend(suspend(promise).ok());
        tell(i + 1);
    }
    Box::new(made)
}

/// Asks for the pipeline that wgpu will ask for.
fn ask(device: &JsValue, wanted: &Wanted<'_>) -> Result<Promise, JsValue> {
    let call = |name: &str, argument: JsValue| -> Result<JsValue, JsValue> {
        let method: Function = Reflect::get(device, &name.into())?.dyn_into()?;
        method.call1(device, &argument)
    };
    let entry = |binding: usize, kind: &str| {
        let moves = kind == "uniform";
        let buffer = object([("type", kind.into()), ("hasDynamicOffset", moves.into())])?;
        object([
            ("binding", (binding as u32).into()),
            ("visibility", COMPUTE.into()),
            ("buffer", buffer),
        ])
    };
    let entries = Array::new();
    let (n_inputs, n_outputs) = wanted.n_buffers;
    for binding in 0..n_inputs {
        entries.push(&entry(binding, "read-only-storage")?);
    }
    for binding in n_inputs..n_inputs + n_outputs {
        entries.push(&entry(binding, "storage")?);
    }
    if wanted.uniform {
        entries.push(&entry(n_inputs + n_outputs, "uniform")?);
    }
    let bindings = call(
        "createBindGroupLayout",
        object([("entries", entries.into())])?,
    )?;
    let groups = Array::of1(&bindings).into();
    let layout = call(
        "createPipelineLayout",
        object([("bindGroupLayouts", groups)])?,
    )?;
    let module = call(
        "createShaderModule",
        object([("code", wanted.source.into())])?,
    )?;
    let compute = object([("module", module), ("entryPoint", "main".into())])?;
    let pipeline = object([("layout", layout), ("compute", compute)])?;
    call("createComputePipelineAsync", pipeline)?.dyn_into()
}

fn object<const N: usize>(fields: [(&str, JsValue); N]) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (name, value) in fields {
        Reflect::set(&object, &name.into(), &value)?;
    }
    Ok(object.into())
}
