//! The matrix kernels with relaxed SIMD: a module of the engine's, whose functions join the engine's own table.

#![allow(unsafe_code, reason = "tells the engine which functions the table has")]

use js_sys::{Function, Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::JsCast;

use glowgrad::{RELAXED_FUNCTIONS, RELAXED_MODULE, use_relaxed_functions};

/// Has the engines that are made after this use them. False where the browser has no relaxed SIMD.
pub(crate) fn install() -> bool {
    load().is_some()
}

fn load() -> Option<()> {
    let module = WebAssembly::Module::new(&Uint8Array::from(RELAXED_MODULE)).ok()?;
    let (imports, env) = (Object::new(), Object::new());
    Reflect::set(&env, &"memory".into(), &wasm_bindgen::memory()).ok()?;
    Reflect::set(&imports, &"env".into(), &env).ok()?;
    let kernels = WebAssembly::Instance::new(&module, &imports)
        .ok()?
        .exports();
    let table: WebAssembly::Table = wasm_bindgen::function_table().unchecked_into();
    let n = u32::try_from(RELAXED_FUNCTIONS).ok()?;
    let first = table.grow(n).ok()?;
    for i in 0..n {
        let name = (i + 1).to_string().into();
        let kernel: Function = Reflect::get(&kernels, &name).ok()?.dyn_into().ok()?;
        table.set(first + i, &kernel).ok()?;
    }
    // SAFETY: the functions have just been put there; a table keeps what it has, and its first place is taken.
    unsafe { use_relaxed_functions(first as usize) };
    Some(())
}
