//! Pipelines, made together: nothing is encoded before it is sent, and by then it is known which shaders are
//! new. Natively several threads compile them; a browser does so beside the page, and says when it has
//! (`createComputePipelineAsync`).

use std::rc::Rc;
use std::sync::OnceLock;

#[cfg(target_arch = "wasm32")]
use js_sys::Reflect;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::{JsCast, JsValue};

use crate::device::Gpu;

/// A shader with its entry point, from when it is asked for.
pub(crate) struct Pipeline {
    pub(crate) layout: wgpu::BindGroupLayout,
    source: String,
    /// How many buffers it reads.
    #[cfg_attr(
        not(target_arch = "wasm32"),
        allow(dead_code, reason = "a browser is told")
    )]
    n_inputs: usize,
    /// Whether it has numbers.
    #[cfg_attr(
        not(target_arch = "wasm32"),
        allow(dead_code, reason = "a browser is told")
    )]
    uniform: bool,
    made: OnceLock<wgpu::ComputePipeline>,
}

impl Pipeline {
    pub(crate) fn new(
        layout: wgpu::BindGroupLayout,
        source: String,
        n_inputs: usize,
        uniform: bool,
    ) -> Pipeline {
        Pipeline {
            layout,
            source,
            n_inputs,
            uniform,
            made: OnceLock::new(),
        }
    }

    /// The pipeline, compiled now if nobody has.
    pub(crate) fn made(&self, device: &wgpu::Device) -> &wgpu::ComputePipeline {
        self.made
            .get_or_init(|| compile(device, &self.source, &self.layout))
    }
}

fn compile(
    device: &wgpu::Device,
    source: &str,
    layout: &wgpu::BindGroupLayout,
) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let groups = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&groups),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

/// Makes pipelines, all at once; tells now and then how many there are.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn make(gpu: &Gpu, pipelines: &[Rc<Pipeline>], tell: impl Fn(usize)) {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let device = &*gpu.device();
    let all: Vec<&Pipeline> = pipelines.iter().map(|pipeline| &**pipeline).collect();
    let begun = AtomicUsize::new(0);
    let make_next = || {
        let next = all.get(begun.fetch_add(1, Ordering::Relaxed));
        next.map(|pipeline| pipeline.made(device)).is_some()
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..n_threads.min(all.len()) {
            scope.spawn(|| while make_next() {});
        }
        while make_next() {
            tell(begun.load(Ordering::Relaxed).min(all.len()));
        }
    });
}

/// Makes pipelines, all at once; tells now and then how many there are.
///
/// wgpu makes none this way. So the browser is asked for the same ones beside it, and has them when wgpu asks.
#[cfg(target_arch = "wasm32")]
pub(crate) fn make(gpu: &Gpu, pipelines: &[Rc<Pipeline>], tell: impl Fn(usize)) {
    let asked: Vec<js_sys::Promise> = match gpu.device().as_webgpu() {
        Some(device) => {
            let asked = pipelines.iter().map(|pipeline| pipeline.ask(device));
            asked.filter_map(Result::ok).collect()
        }
        None => Vec::new(),
    };
    // One that is refused is refused again below, where the device says why.
    let mut kept = Vec::new();
    for (i, promise) in asked.into_iter().enumerate() {
        let made = wasm_bindgen_futures::JsFuture::from(promise);
        kept.push(crate::wait::wait(gpu.block_on(), made));
        tell(i + 1);
    }
    for pipeline in pipelines {
        pipeline.made(&gpu.device());
    }
}

#[cfg(target_arch = "wasm32")]
impl Pipeline {
    /// Asks a browser's device for it.
    fn ask(&self, device: &JsValue) -> Result<js_sys::Promise, JsValue> {
        let call = |name: &str, argument: JsValue| -> Result<JsValue, JsValue> {
            let method: js_sys::Function = Reflect::get(device, &name.into())?.dyn_into()?;
            method.call1(device, &argument)
        };
        let buffer = |binding: usize, kind: &str, moves: bool| {
            let buffer = object([("type", kind.into()), ("hasDynamicOffset", moves.into())])?;
            object([
                ("binding", (binding as u32).into()),
                ("visibility", wgpu::ShaderStages::COMPUTE.bits().into()),
                ("buffer", buffer),
            ])
        };
        let entries = js_sys::Array::new();
        for binding in 0..self.n_inputs {
            entries.push(&buffer(binding, "read-only-storage", false)?);
        }
        entries.push(&buffer(self.n_inputs, "storage", false)?);
        if self.uniform {
            entries.push(&buffer(self.n_inputs + 1, "uniform", true)?);
        }
        let bindings = call(
            "createBindGroupLayout",
            object([("entries", entries.into())])?,
        )?;
        let groups = js_sys::Array::of1(&bindings).into();
        let layout = call(
            "createPipelineLayout",
            object([("bindGroupLayouts", groups)])?,
        )?;
        let module = object([("code", self.source.as_str().into())])?;
        let module = call("createShaderModule", module)?;
        let compute = object([("module", module), ("entryPoint", "main".into())])?;
        let pipeline = object([("layout", layout), ("compute", compute)])?;
        call("createComputePipelineAsync", pipeline)?.dyn_into()
    }
}

/// An object of JavaScript's.
#[cfg(target_arch = "wasm32")]
fn object<const N: usize>(fields: [(&str, JsValue); N]) -> Result<JsValue, JsValue> {
    let object = js_sys::Object::new();
    for (name, value) in fields {
        Reflect::set(&object, &name.into(), &value)?;
    }
    Ok(object.into())
}
