//! Pipelines, made together: nothing is encoded before it is sent, and by then it is known which shaders are
//! new. Natively several threads compile them; a browser does so beside the page ([`Precompile`]).

use std::rc::Rc;
use std::sync::OnceLock;

/// A shader that is about to be asked for, with its entry point `main` and one group of bindings: buffers that
/// it reads, those that it writes, and its numbers.
pub struct Wanted<'a> {
    /// In WGSL.
    pub source: &'a str,
    /// How many buffers it reads, and how many it writes.
    pub n_buffers: (usize, usize),
    /// Whether it has numbers: a uniform buffer with an offset that moves.
    pub uniform: bool,
}

/// Has a browser compile shaders beside the page, all at once, which wgpu cannot; tells after each how many
/// are done. The browser has them at hand when wgpu asks, as long as what is returned is kept.
pub type Precompile = fn(&wgpu::Device, &[Wanted<'_>], &dyn Fn(usize)) -> Box<dyn std::any::Any>;

/// A shader with its entry point, from when it is asked for.
pub(crate) struct Pipeline {
    pub(crate) layout: wgpu::BindGroupLayout,
    /// In WGSL.
    pub(crate) source: String,
    /// How many buffers it reads, and how many it writes.
    pub(crate) n_buffers: (usize, usize),
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
        n_buffers: (usize, usize),
        uniform: bool,
    ) -> Pipeline {
        Pipeline {
            layout,
            source,
            n_buffers,
            uniform,
            made: OnceLock::new(),
        }
    }

    /// The pipeline, compiled now if it is not yet.
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
pub(crate) fn make(
    device: &wgpu::Device,
    _: Option<Precompile>,
    pipelines: &[Rc<Pipeline>],
    tell: impl Fn(usize),
) {
    use std::sync::atomic::{AtomicUsize, Ordering};

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
#[cfg(target_arch = "wasm32")]
pub(crate) fn make(
    device: &wgpu::Device,
    precompile: Option<Precompile>,
    pipelines: &[Rc<Pipeline>],
    tell: impl Fn(usize),
) {
    let wanted = pipelines.iter().map(|pipeline| Wanted {
        source: &pipeline.source,
        n_buffers: pipeline.n_buffers,
        uniform: pipeline.uniform,
    });
    let wanted: Vec<Wanted<'_>> = wanted.collect();
    let precompiling = precompile.map(|precompile| precompile(device, &wanted, &tell));
    for pipeline in pipelines {
        pipeline.made(device);
    }
    drop(precompiling);
}
