//! The crate's integration tests. They are modules of one program, so that they are linked once.

/// Holds a text to `tests/snapshots/FILE__NAME.snap`, where FILE is the file of the test.
#[cfg(not(target_arch = "wasm32"))]
macro_rules! assert_snapshot {
    ($name:expr, $text:expr) => {{
        let file = module_path!().rsplit("::").next().unwrap_or_default();
        let (name, text) = (format!("{file}__{}", $name), $text);
        insta::with_settings!(
            { snapshot_path => "../snapshots", prepend_module_to_snapshot => false },
            { insta::assert_snapshot!(name, text) }
        );
    }};
}

mod autograd;
mod convolution;
mod cuda;
mod cuda_device;
mod devices;
mod drawn;
mod dtypes;
mod endurance;
mod epilogues;
mod golden;
mod gpu;
mod graph_texts;
mod halves;
mod infinities;
mod interrupted;
mod joint_writes;
mod kernels;
mod layers;
mod lesson_trace;
mod linalg;
mod memory;
mod moving;
mod moving_calls;
mod mutations;
mod never_panics;
mod one_kernel;
mod oracle;
mod pools;
mod programs;
mod random;
mod random_calls;
mod random_gradients;
mod reference_backends;
mod saved;
mod semantics;
mod sources;
mod suite;
mod web;
