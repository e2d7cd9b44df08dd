//! The tile interpreter: a kernel's body, run over blocks of [`TILE`] elements that stay in L1.
//!
//! A tile is a window on the row-major linear order of an iteration space. What needs no work is
//! not copied: a contiguous input is read where it lies, the last instruction writes straight into
//! the output. What is the same everywhere (arguments, broadcast scalars and all that follows
//! from them) is computed once, before the first tile. What becomes of the result of a kernel that
//! reduces is left to [`crate::reduce`]. Where the body has become a function ([`crate::jit`]), a tile is one call.

mod transpose;

use std::mem;
use std::rc::Rc;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::alu::{AluOp, Value};
use glowgrad_tensor::kernel::{Instr, Kernel};
use glowgrad_tensor::{DType, Result};
use smallvec::{SmallVec, smallvec};

use crate::jit::{self, Function};
use crate::layout::{Form, Layout};
use crate::ops;
use crate::pool::{Block, Pool};
use crate::simd::Level;
use transpose::Panel;

/// Elements of a tile: several float32 tiles, the inputs' and the output's cache lines and what is
/// fetched ahead have to fit the first-level cache together.
pub(crate) const TILE: usize = 512;

/// Longest period of a broadcast row that is laid out once for all tiles.
const LONGEST_PATTERN: usize = 8 * TILE;

/// Where a value is. Small, because preparing a kernel of eight elements costs more than running it.
#[derive(Debug, Clone, Copy)]
struct Operand {
    location: Location,
    /// Which tile, input or output.
    index: u16,
    /// Bytes of one element.
    size: u8,
    /// The first element in an input; the period of a pattern.
    at: usize,
}

/// In which memory a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Location {
    /// In a tile.
    Tile,
    /// In an input, from element `at` on.
    Input,
    /// In a tile that holds `at` elements, then the first ones again for a tile's length.
    Pattern,
    /// In an output.
    Output,
}

impl Operand {
    fn new(location: Location, index: usize, size: usize) -> Operand {
        Operand {
            location,
            index: index as u16,
            size: size as u8,
            at: 0,
        }
    }

    fn index(self) -> usize {
        usize::from(self.index)
    }

    fn size(self) -> usize {
        usize::from(self.size)
    }
}

/// What is done to make a tile of one value.
#[derive(Debug, Clone, Copy)]
enum MicroOp {
    Load {
        input: u16,
    },
    /// From a panel, filled first if need be.
    Turned {
        input: u16,
        panel: u16,
    },
    Fill {
        value: Value,
    },
    Apply {
        op: AluOp,
        dtype: DType,
        src: [Operand; 3],
    },
    Cast {
        from: DType,
        into: DType,
        src: Operand,
    },
    Copy {
        src: Operand,
    },
}

/// A kernel's body, ready to run.
pub(crate) struct Tiles<'a> {
    level: Level,
    inputs: &'a [&'a [u8]],
    outputs: SmallVec<[&'a mut [u8]; 4]>,
    layouts: SmallVec<[Layout; 4]>,
    blocks: SmallVec<[Option<Block>; 8]>,
    /// Panels of transposed inputs, and the tile each lies in.
    panels: SmallVec<[(Panel, usize); 1]>,
    pool: &'a Pool,
    /// Run for every tile, in order.
    each: SmallVec<[(MicroOp, Operand); 6]>,
    /// What runs behind them, and its operands.
    function: Option<(Rc<Function>, SmallVec<[Operand; 8]>)>,
    result: Operand,
    /// For each input, the output in which its elements lie; what is beyond its end lies apart.
    pub(crate) in_place: &'a [Option<usize>],
    /// The position of the outputs' first element.
    pub(crate) first: usize,
}

impl<'a> Tiles<'a> {
    /// An interpreter of nothing yet. With `outputs`, each output of a kernel is written there;
    /// without, [`Tiles::result`] gives the first one's tile.
    pub(crate) fn new(
        level: Level,
        pool: &'a Pool,
        inputs: &'a [&'a [u8]],
        outputs: SmallVec<[&'a mut [u8]; 4]>,
    ) -> Tiles<'a> {
        Tiles {
            level,
            inputs,
            outputs,
            layouts: SmallVec::new(),
            blocks: SmallVec::new(),
            panels: SmallVec::new(),
            pool,
            each: SmallVec::new(),
            function: None,
            result: Operand::new(Location::Tile, 0, 0),
            in_place: &[],
            first: 0,
        }
    }

    /// Makes ready to run a kernel over `total` (at least one) positions. `order` permutes the
    /// dimensions of its inputs' views.
    pub(crate) fn prepare(
        &mut self,
        kernel: &Kernel,
        order: Option<&[usize]>,
        total: usize,
    ) -> Result<()> {
        for input in &kernel.inputs {
            self.layouts.push(Layout::new(&input.view, order));
        }
        let width = total.min(TILE);
        let is_uniform = |input: usize| {
            self.lies_in(input).is_none() && self.layouts[input].form() == Form::Uniform
        };
        let function = jit::function(kernel, is_uniform, total);
        let last_use = last_uses(kernel);
        let mut values: SmallVec<[Operand; 16]> = SmallVec::new();
        let mut uniform: SmallVec<[bool; 16]> = SmallVec::new();
        // Tiles that are free again.
        let mut free: SmallVec<[Operand; 8]> = SmallVec::new();

        for (i, &instr) in kernel.code.iter().enumerate() {
            let size = kernel.dtypes[i].size();
            values.push(Operand::new(Location::Tile, 0, size));
            uniform.push(false);
            if last_use[i].is_none() {
                continue;
            }
            let mut sources: SmallVec<[usize; 3]> = SmallVec::new();
            let micro_op = match instr {
                Instr::Arg { arg, dtype } => {
                    uniform[i] = true;
                    MicroOp::Fill {
                        value: Value::from_scalar(kernel.args[usize::from(arg)], dtype),
                    }
                }
                Instr::Load { input } if let Some(output) = self.lies_in(usize::from(input)) => {
                    let src = Operand::new(Location::Output, output, size);
                    // A function reads an element before it writes that one.
                    let is_read_there = |f: &Rc<Function>| f.stores.contains(&output);
                    if function.as_ref().is_some_and(is_read_there) {
                        MicroOp::Copy { src }
                    } else {
                        let to = Operand::new(Location::Tile, self.block(width * size)?, size);
                        // Before any result is written.
                        self.each.insert(0, (MicroOp::Copy { src }, to));
                        MicroOp::Copy { src: to }
                    }
                }
                Instr::Load { input } => {
                    let layout = &self.layouts[usize::from(input)];
                    match layout.form() {
                        Form::Contiguous => {
                            let at = layout.offset as usize;
                            MicroOp::Copy {
                                src: Operand {
                                    at,
                                    index: input,
                                    ..Operand::new(Location::Input, 0, size)
                                },
                            }
                        }
                        Form::Periodic { period } if period <= LONGEST_PATTERN => {
                            let tile = self.block((period + width) * size)?;
                            self.write(tile, |tiles, block| {
                                tiles.load(
                                    usize::from(input),
                                    size,
                                    0,
                                    &mut block[..(period + width) * size],
                                );
                            });
                            MicroOp::Copy {
                                src: Operand {
                                    at: period,
                                    ..Operand::new(Location::Pattern, tile, size)
                                },
                            }
                        }
                        form => {
                            uniform[i] = form == Form::Uniform;
                            match Panel::new(layout).filter(|_| total > TILE) {
                                Some(panel) => {
                                    let tile = self.block(panel.len() * size)?;
                                    self.panels.push((panel, tile));
                                    MicroOp::Turned {
                                        input,
                                        panel: (self.panels.len() - 1) as u16,
                                    }
                                }
                                None => MicroOp::Load { input },
                            }
                        }
                    }
                }
                Instr::Apply { op, src } => {
                    sources.extend(src[..op.arity()].iter().map(|&s| usize::from(s)));
                    let last = sources[sources.len() - 1];
                    uniform[i] = sources.iter().all(|&s| uniform[s]);
                    // Operands beyond the arity are never looked at.
                    let src = [0, 1, 2].map(|k| values[*sources.get(k).unwrap_or(&last)]);
                    MicroOp::Apply {
                        op,
                        dtype: kernel.dtypes[last],
                        src,
                    }
                }
                Instr::Cast { src, to } => {
                    let src = usize::from(src);
                    sources.push(src);
                    uniform[i] = uniform[src];
                    MicroOp::Cast {
                        from: kernel.dtypes[src],
                        into: to,
                        src: values[src],
                    }
                }
            };
            let mut wanted =
                (0..self.outputs.len()).filter(|&o| usize::from(kernel.outputs[o]) == i);
            if uniform[i] {
                let to = Operand::new(Location::Tile, self.block(width * size)?, size);
                self.run(micro_op, to, 0, width);
                values[i] = to;
            } else if let MicroOp::Copy { src } = micro_op {
                values[i] = src;
            } else if function.is_some() && jit::is_computed(&instr, false) {
                continue;
            } else {
                values[i] = match wanted.next() {
                    Some(output) => Operand::new(Location::Output, output, size),
                    None => match free.iter().position(|tile| tile.size() == size) {
                        Some(at) => free.swap_remove(at),
                        None => Operand::new(Location::Tile, self.block(width * size)?, size),
                    },
                };
                self.each.push((micro_op, values[i]));
            }
            for output in wanted {
                self.each.push((
                    MicroOp::Copy { src: values[i] },
                    Operand::new(Location::Output, output, size),
                ));
            }
            if function.is_some() {
                // It reads tiles when all others are done.
                continue;
            }
            sources.dedup();
            for source in sources {
                let value = values[source];
                let spent = last_use[source] == Some(i)
                    && !uniform[source]
                    && value.location == Location::Tile;
                if spent && !free.iter().any(|tile| tile.index == value.index) {
                    free.push(value);
                }
            }
        }
        if let Some(function) = function {
            let mut operands: SmallVec<_> = function.leaves.iter().map(|&i| values[i]).collect();
            for &output in &function.stores {
                let instr = usize::from(kernel.outputs[output]);
                let size = kernel.dtypes[instr].size();
                values[instr] = match self.outputs.is_empty() {
                    true => Operand::new(Location::Tile, self.block(width * size)?, size),
                    false => Operand::new(Location::Output, output, size),
                };
                operands.push(values[instr]);
            }
            self.function = Some((function, operands));
        }
        if let Some(&first) = kernel.outputs.first() {
            self.result = values[usize::from(first)];
        }
        Ok(())
    }

    /// The output in which an input's elements lie, if they do.
    fn lies_in(&self, input: usize) -> Option<usize> {
        self.in_place.get(input).copied().flatten()
    }

    /// Runs the body for positions `start .. start + len`, at most [`TILE`] of them.
    #[inline]
    pub(crate) fn tile(&mut self, start: usize, len: usize) {
        for i in 0..self.each.len() {
            let (micro_op, to) = self.each[i];
            self.run(micro_op, to, start, len);
        }
        #[cfg(all(target_arch = "wasm32", feature = "full"))]
        if let Some((function, operands)) = self.function.take() {
            self.call(&function, &operands, start, len);
            self.function = Some((function, operands));
        }
    }

    /// Has a function compute a tile.
    #[cfg(all(target_arch = "wasm32", feature = "full"))]
    #[allow(unsafe_code, reason = "hands addresses to a function")]
    fn call(&mut self, function: &Function, operands: &[Operand], start: usize, len: usize) {
        let mut addresses: SmallVec<[*const u8; 16]> = SmallVec::new();
        let (leaves, stores) = operands.split_at(function.leaves.len());
        for &leaf in leaves {
            addresses.push(self.read(leaf, start, len).as_ptr());
        }
        for &store in stores {
            let bytes = match store.location {
                Location::Output => &mut *self.outputs[store.index()],
                _ => self.blocks[store.index()].as_deref_mut().unwrap_or(&mut []),
            };
            let at = match store.location {
                Location::Output => (start - self.first) * store.size(),
                _ => 0,
            };
            addresses.push(bytes[at..][..len * store.size()].as_mut_ptr());
        }
        // SAFETY: each slice has the elements of this tile; of one that is the same everywhere there is a tile. Outputs
        // and tiles to write to are `self`'s alone. A leaf in an output is read there at the tile that is written.
        unsafe { function.call(&addresses, len) };
    }

    /// What the last [`Tiles::tile`] with these positions gave for the kernel's first output.
    pub(crate) fn result(&self, start: usize, len: usize) -> &[u8] {
        self.read(self.result, start, len)
    }

    /// A new tile of at least that many bytes.
    fn block(&mut self, bytes: usize) -> Result<usize> {
        self.blocks.push(Some(self.pool.take(bytes)?));
        Ok(self.blocks.len() - 1)
    }

    /// Lends a tile out for writing, so that others can be read meanwhile.
    #[inline]
    fn write(&mut self, tile: usize, f: impl FnOnce(&Self, &mut [u8])) {
        if let Some(mut block) = self.blocks[tile].take() {
            f(self, &mut block);
            self.blocks[tile] = Some(block);
        }
    }

    #[inline]
    fn read(&self, operand: Operand, start: usize, len: usize) -> &[u8] {
        let tile = |tile: usize| self.blocks[tile].as_deref().unwrap_or(&[]);
        let (bytes, at) = match operand.location {
            Location::Tile => (tile(operand.index()), 0),
            Location::Pattern => (tile(operand.index()), start % operand.at),
            Location::Input => (self.inputs[operand.index()], operand.at + start),
            Location::Output => (&*self.outputs[operand.index()], start - self.first),
        };
        &bytes[at * operand.size()..][..len * operand.size()]
    }

    #[inline]
    fn run(&mut self, micro_op: MicroOp, to: Operand, start: usize, len: usize) {
        if let MicroOp::Turned { input, panel } = micro_op {
            self.fill_panel(
                usize::from(input),
                usize::from(panel),
                to.size(),
                start,
                len,
            );
        }
        match to.location {
            Location::Output => {
                let bytes = mem::take(&mut self.outputs[to.index()]);
                let at = (start - self.first) * to.size();
                self.compute(micro_op, start, len, &mut bytes[at..][..len * to.size()]);
                self.outputs[to.index()] = bytes;
            }
            Location::Tile => self.write(to.index(), |tiles, block| {
                tiles.compute(micro_op, start, len, &mut block[..len * to.size()]);
            }),
            Location::Input | Location::Pattern => {}
        }
    }

    fn compute(&self, micro_op: MicroOp, start: usize, len: usize, out: &mut [u8]) {
        match micro_op {
            MicroOp::Load { input } => self.load(usize::from(input), out.len() / len, start, out),
            MicroOp::Turned { panel, .. } => {
                let (panel, tile) = &self.panels[usize::from(panel)];
                let block = self.blocks[*tile].as_deref().unwrap_or(&[]);
                match out.len() / len {
                    1 => panel.read(block, start, out),
                    2 => panel.read::<u16>(cast_slice(block), start, cast_slice_mut(out)),
                    4 => panel.read::<u32>(cast_slice(block), start, cast_slice_mut(out)),
                    _ => panel.read::<u64>(cast_slice(block), start, cast_slice_mut(out)),
                }
            }
            MicroOp::Fill {
                value: Value::Bool(v),
            } => out.fill(u8::from(v)),
            MicroOp::Fill {
                value: Value::I64(v),
            } => cast_slice_mut(out).fill(v),
            MicroOp::Fill {
                value: Value::U64(v),
            } => cast_slice_mut(out).fill(v),
            MicroOp::Fill {
                value: Value::F32(v),
            } => cast_slice_mut(out).fill(v),
            MicroOp::Fill {
                value: Value::F64(v),
            } => cast_slice_mut(out).fill(v),
            MicroOp::Apply { op, dtype, src } => {
                // Written out: an array's `map` is not inlined.
                let read = |operand| self.read(operand, start, len);
                let src = [read(src[0]), read(src[1]), read(src[2])];
                ops::apply(self.level, op, dtype, src, out);
            }
            MicroOp::Cast { from, into, src } => {
                ops::cast(self.level, from, into, self.read(src, start, len), out);
            }
            MicroOp::Copy { src } => out.copy_from_slice(self.read(src, start, len)),
        }
    }

    /// Fills a panel with the rows of a tile, unless it has them.
    fn fill_panel(&mut self, input: usize, panel: usize, size: usize, start: usize, len: usize) {
        let (held, tile) = &mut self.panels[panel];
        if !held.lacks(start, len) {
            return;
        }
        let tile = *tile;
        self.write(tile, |tiles, block| {
            let (panel, layout, bytes) = (
                &tiles.panels[panel].0,
                &tiles.layouts[input],
                tiles.inputs[input],
            );
            match size {
                1 => panel.fill(layout, bytes, block),
                2 => panel.fill::<u16>(layout, cast_slice(bytes), cast_slice_mut(block)),
                4 => panel.fill::<u32>(layout, cast_slice(bytes), cast_slice_mut(block)),
                _ => panel.fill::<u64>(layout, cast_slice(bytes), cast_slice_mut(block)),
            }
        });
    }

    fn load(&self, input: usize, size: usize, start: usize, out: &mut [u8]) {
        let (layout, bytes) = (&self.layouts[input], self.inputs[input]);
        // Past its end a layout begins again, which is what a pattern wants.
        match size {
            1 => layout.gather(bytes, start, out),
            2 => layout.gather::<u16>(cast_slice(bytes), start, cast_slice_mut(out)),
            4 => layout.gather::<u32>(cast_slice(bytes), start, cast_slice_mut(out)),
            _ => layout.gather::<u64>(cast_slice(bytes), start, cast_slice_mut(out)),
        }
    }
}

impl Drop for Tiles<'_> {
    fn drop(&mut self) {
        for block in self.blocks.drain(..).flatten() {
            self.pool.give(block);
        }
    }
}

/// For each instruction that an output needs, the last one that uses it (itself if none does).
fn last_uses(kernel: &Kernel) -> SmallVec<[Option<usize>; 16]> {
    let mut last: SmallVec<[Option<usize>; 16]> = smallvec![None; kernel.code.len()];
    for &output in &kernel.outputs {
        last[usize::from(output)] = Some(kernel.code.len());
    }
    for (i, instr) in kernel.code.iter().enumerate().rev() {
        if last[i].is_none() {
            continue;
        }
        let sources: &[u16] = match instr {
            Instr::Apply { op, src } => &src[..op.arity()],
            Instr::Cast { src, .. } => std::slice::from_ref(src),
            Instr::Load { .. } | Instr::Arg { .. } => &[],
        };
        for &source in sources {
            last[usize::from(source)].get_or_insert(i);
        }
    }
    last
}
