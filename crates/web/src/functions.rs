//! Functions of other modules, which compute in the engine's memory and join its table of functions.

#![allow(unsafe_code, reason = "tells the engine which functions the table has")]

use js_sys::{Function, Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::JsCast;

use glowgrad::{RELAXED_FUNCTIONS, RELAXED_MODULE, use_compiler, use_relaxed_functions};

/// Has the engines that are made after this use the matrix kernels with relaxed SIMD. False where the browser has none.
pub(crate) fn add_relaxed() -> bool {
    let Some(exports) = instance(RELAXED_MODULE) else {
        return false;
    };
    let names = (1..=RELAXED_FUNCTIONS).map(|i| i.to_string());
    let places: Option<Vec<usize>> = names.map(|name| add(&exports, &name, None)).collect();
    let Some(first) = places.and_then(|places| places.first().copied()) else {
        return false;
    };
    // SAFETY: the functions have just been put there, one behind another; a table keeps what it has, and its first
    // place is taken.
    unsafe { use_relaxed_functions(first) };
    true
}

/// Has kernels compiled that have run so many instructions, or none.
pub(crate) fn compile_kernels(least_work: Option<usize>) {
    let compiler = least_work.map(|_| compile as glowgrad::Compiler);
    // SAFETY: `compile` does as is asked for; the engine alone has functions replaced.
    unsafe { use_compiler(compiler, least_work.unwrap_or(0)) };
}

/// Puts the function of a module into the table, as the engine asks for.
pub(crate) fn compile(module: &[u8], place: Option<usize>) -> Option<usize> {
    add(&instance(module)?, "run", place)
}

/// The exports of a module that computes in this module's memory.
fn instance(module: &[u8]) -> Option<Object> {
    let module = WebAssembly::Module::new(&Uint8Array::from(module)).ok()?;
    let (imports, env) = (Object::new(), Object::new());
    Reflect::set(&env, &"memory".into(), &wasm_bindgen::memory()).ok()?;
    Reflect::set(&imports, &"env".into(), &env).ok()?;
    let instance = WebAssembly::Instance::new(&module, &imports).ok()?;
    Some(instance.exports())
}

/// Puts a function into the table, behind all others or at a place of its own, and gives the place.
fn add(exports: &Object, name: &str, place: Option<usize>) -> Option<usize> {
    let function: Function = Reflect::get(exports, &name.into()).ok()?.dyn_into().ok()?;
    let table: WebAssembly::Table = wasm_bindgen::function_table().unchecked_into();
    let place = match place {
        Some(place) => u32::try_from(place).ok()?,
        None => table.grow(1).ok()?,
    };
    table.set(place, &function).ok()?;
    Some(place as usize)
}
