//! The tile interpreter: a kernel's body, run over blocks of [`TILE`] elements that stay in L1.
//!
//! A tile is a window on the row-major linear order of an iteration space. What needs no work is
//! not copied: a contiguous input is read where it lies, the last instruction writes straight into
//! the output. What is the same everywhere (arguments, broadcast scalars and all that follows
//! from them) is computed once, before the first tile. What becomes of the result of a kernel that
//! reduces is left to [`crate::reduce`].

use std::mem;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::kernel::{Instr, Kernel};
use glowgrad_tensor::lane::{ScalarOp, Value};
use glowgrad_tensor::{DType, Result, View};
use smallvec::{SmallVec, smallvec};

use crate::layout::{Form, Layout};
use crate::ops;
use crate::simd::Level;
use crate::storage::{Block, Pool};

/// Elements of a tile.
pub(crate) const TILE: usize = 1024;

/// Longest period of a broadcast row that is laid out once for all tiles.
const LONGEST_PATTERN: usize = 4 * TILE;

/// Where a value is, and the bytes of one element.
#[derive(Debug, Clone, Copy)]
struct Operand {
    place: Place,
    size: usize,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// In a tile.
    Tile(usize),
    /// In an input, from element `offset` on.
    Input { input: usize, offset: usize },
    /// In a tile that holds `period` elements, then the first ones again for a tile's length.
    Pattern { tile: usize, period: usize },
    /// In an output.
    Output(usize),
}

#[derive(Debug)]
enum Step {
    Load { input: usize },
    Fill { value: Value },
    Apply { op: ScalarOp, dtype: DType, src: [Operand; 3] },
    Cast { from: DType, into: DType, src: Operand },
    Copy { src: Operand },
}

/// A kernel's body, ready to run.
pub(crate) struct Tiles<'a> {
    level: Level,
    inputs: &'a [&'a [u8]],
    outputs: SmallVec<[&'a mut [u8]; 4]>,
    layouts: SmallVec<[Layout; 4]>,
    blocks: SmallVec<[Option<Block>; 8]>,
    pool: &'a Pool,
    /// Run for every tile, in order.
    each: SmallVec<[(Step, Operand); 8]>,
    result: Operand,
}

impl<'a> Tiles<'a> {
    /// Prepares a kernel over `total` (at least one) positions. `views` replace those of the
    /// kernel's inputs. With `outputs`, each output is written there; without, [`Tiles::result`]
    /// gives the first one's tile.
    pub(crate) fn new(
        level: Level,
        pool: &'a Pool,
        kernel: &Kernel,
        views: impl Iterator<Item = View>,
        total: usize,
        inputs: &'a [&'a [u8]],
        outputs: SmallVec<[&'a mut [u8]; 4]>,
    ) -> Result<Tiles<'a>> {
        let layouts = views.map(|view| Layout::new(&view)).collect();
        let nowhere = Operand { place: Place::Tile(0), size: 0 };
        let mut tiles = Tiles {
            level,
            inputs,
            outputs,
            layouts,
            blocks: SmallVec::new(),
            pool,
            each: SmallVec::new(),
            result: nowhere,
        };
        tiles.prepare(kernel, total)?;
        Ok(tiles)
    }

    fn prepare(&mut self, kernel: &Kernel, total: usize) -> Result<()> {
        let width = total.min(TILE);
        let last_use = last_uses(kernel);
        let nowhere = Operand { place: Place::Tile(0), size: 0 };
        let mut values: SmallVec<[Operand; 16]> = smallvec![nowhere; kernel.code.len()];
        let mut uniform: SmallVec<[bool; 16]> = smallvec![false; kernel.code.len()];
        // Tiles that are free again, by the size of their elements.
        let mut free: SmallVec<[(usize, usize); 8]> = SmallVec::new();

        for (i, &instr) in kernel.code.iter().enumerate() {
            if last_use[i].is_none() {
                continue;
            }
            let dtype = kernel.dtypes[i];
            let size = dtype.size();
            let mut sources: SmallVec<[usize; 3]> = SmallVec::new();
            let step = match instr {
                Instr::Arg { arg, dtype } => {
                    uniform[i] = true;
                    let value = Value::from_scalar(kernel.args[usize::from(arg)], dtype);
                    Step::Fill { value }
                }
                Instr::Load { input } => {
                    let input = usize::from(input);
                    let layout = &self.layouts[input];
                    match layout.form() {
                        Form::Contiguous => {
                            let place = Place::Input { input, offset: layout.offset as usize };
                            Step::Copy { src: Operand { place, size } }
                        }
                        Form::Periodic { period } if period <= LONGEST_PATTERN => {
                            let tile = self.block((period + width) * size)?;
                            self.write(tile, |tiles, block| {
                                tiles.load(input, size, 0, &mut block[..(period + width) * size]);
                            });
                            let place = Place::Pattern { tile, period };
                            Step::Copy { src: Operand { place, size } }
                        }
                        form => {
                            uniform[i] = form == Form::Uniform;
                            Step::Load { input }
                        }
                    }
                }
                Instr::Apply { op, src } => {
                    sources.extend(src[..op.arity()].iter().map(|&s| usize::from(s)));
                    let last = sources[sources.len() - 1];
                    uniform[i] = sources.iter().all(|&s| uniform[s]);
                    // Operands beyond the arity are never looked at.
                    let src = [0, 1, 2].map(|k| values[*sources.get(k).unwrap_or(&last)]);
                    Step::Apply { op, dtype: kernel.dtypes[last], src }
                }
                Instr::Cast { src, to } => {
                    let src = usize::from(src);
                    sources.push(src);
                    uniform[i] = uniform[src];
                    Step::Cast { from: kernel.dtypes[src], into: to, src: values[src] }
                }
            };
            let mut wanted = (0..self.outputs.len()).filter(|&o| usize::from(kernel.outputs[o]) == i);
            if uniform[i] {
                let tile = self.block(width * size)?;
                let to = Operand { place: Place::Tile(tile), size };
                self.run(&step, to, 0, width);
                values[i] = to;
            } else if let Step::Copy { src } = step {
                values[i] = src;
            } else {
                let place = match wanted.next() {
                    Some(output) => Place::Output(output),
                    None => Place::Tile(match free.iter().position(|&(_, s)| s == size) {
                        Some(at) => free.swap_remove(at).0,
                        None => self.block(width * size)?,
                    }),
                };
                values[i] = Operand { place, size };
                self.each.push((step, values[i]));
            }
            for output in wanted {
                self.each.push((Step::Copy { src: values[i] }, Operand { place: Place::Output(output), size }));
            }
            for source in sources {
                if let (Some(last), false, Place::Tile(tile)) = (last_use[source], uniform[source], values[source].place)
                    && last == i
                    && !free.iter().any(|&(t, _)| t == tile)
                {
                    free.push((tile, values[source].size));
                }
            }
        }
        if let Some(&first) = kernel.outputs.first() {
            self.result = values[usize::from(first)];
        }
        Ok(())
    }

    /// Runs the body for positions `start .. start + len`, at most [`TILE`] of them.
    #[inline]
    pub(crate) fn tile(&mut self, start: usize, len: usize) {
        let each = mem::take(&mut self.each);
        for (step, to) in &each {
            self.run(step, *to, start, len);
        }
        self.each = each;
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
    fn write(&mut self, tile: usize, f: impl FnOnce(&Self, &mut [u8])) {
        if let Some(mut block) = self.blocks[tile].take() {
            f(self, &mut block);
            self.blocks[tile] = Some(block);
        }
    }

    fn read(&self, operand: Operand, start: usize, len: usize) -> &[u8] {
        let (bytes, at): (&[u8], usize) = match operand.place {
            Place::Tile(tile) => (self.blocks[tile].as_deref().unwrap_or(&[]), 0),
            Place::Pattern { tile, period } => (self.blocks[tile].as_deref().unwrap_or(&[]), start % period),
            Place::Input { input, offset } => (self.inputs[input], offset + start),
            Place::Output(output) => (self.outputs[output], start),
        };
        &bytes[at * operand.size..][..len * operand.size]
    }

    fn run(&mut self, step: &Step, to: Operand, start: usize, len: usize) {
        match to.place {
            Place::Output(output) => {
                let bytes = mem::take(&mut self.outputs[output]);
                self.compute(step, start, len, &mut bytes[start * to.size..][..len * to.size]);
                self.outputs[output] = bytes;
            }
            Place::Tile(tile) => self.write(tile, |tiles, block| {
                tiles.compute(step, start, len, &mut block[..len * to.size]);
            }),
            Place::Input { .. } | Place::Pattern { .. } => {}
        }
    }

    fn compute(&self, step: &Step, start: usize, len: usize, out: &mut [u8]) {
        match *step {
            Step::Load { input } => self.load(input, out.len() / len, start, out),
            Step::Fill { value: Value::Bool(v) } => out.fill(u8::from(v)),
            Step::Fill { value: Value::I64(v) } => cast_slice_mut(out).fill(v),
            Step::Fill { value: Value::F32(v) } => cast_slice_mut(out).fill(v),
            Step::Fill { value: Value::F64(v) } => cast_slice_mut(out).fill(v),
            Step::Apply { op, dtype, src } => {
                let src = src.map(|operand| self.read(operand, start, len));
                ops::apply(self.level, op, dtype, src, out);
            }
            Step::Cast { from, into, src } => {
                ops::cast(self.level, from, into, self.read(src, start, len), out);
            }
            Step::Copy { src } => out.copy_from_slice(self.read(src, start, len)),
        }
    }

    fn load(&self, input: usize, size: usize, start: usize, out: &mut [u8]) {
        let (layout, bytes) = (&self.layouts[input], self.inputs[input]);
        // Past its end a layout begins again, which is what a pattern wants.
        match size {
            1 => layout.gather(bytes, start, out),
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
