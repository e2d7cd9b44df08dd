//! Tasks that run again and again, as a CUDA graph: one call starts all of them.
//!
//! The processor's part (integers that follow from known values, and the check of indices) runs before the
//! graph each time. Running first must not change a result: no earlier task of the device may read or write
//! what the processor writes. Where one does, or where the processor would compute anything else, the tasks
//! run one by one.

use std::collections::HashSet;
use std::rc::Rc;

use cudarc::driver::CudaGraph;
use glowgrad_tensor::backend::{Buffer, Recording, Task};
use glowgrad_tensor::{DType, Error, Result};

use crate::command::{CommandList, Look};
use crate::{Runner, gpu_buffer, is_on_host, routines};

/// What the processor does ahead of a graph.
enum Ahead {
    /// A task, by its place.
    Task(usize),
    Look(Look),
}

/// Tasks as a graph.
pub(crate) struct Graph {
    runner: Rc<Runner>,
    /// Keep the buffers whose addresses the graph has.
    tasks: Vec<Task>,
    ahead: Vec<Ahead>,
    /// What the processor reads before it writes it.
    replaced: Vec<Buffer>,
    graph: CudaGraph,
    /// Its kernels, its products' configurations and what it uses beside the buffers.
    list: CommandList,
    /// What it writes, in order.
    written: Vec<(Buffer, DType)>,
}

/// Which tasks the device computes, which the processor, and which values the host knows.
#[derive(Default)]
struct Parts {
    /// Buffers that a task of the device so far reads or writes, and that one writes.
    used: HashSet<u64>,
    computed: HashSet<u64>,
    /// Buffers that the processor reads so far, and that it writes.
    read: HashSet<u64>,
    known: HashSet<u64>,
    replaced: Vec<Buffer>,
}

impl Parts {
    /// Whether the processor does a task, ahead of all others; none if it may not.
    fn is_ahead(&mut self, runner: &Runner, task: &Task) -> Option<bool> {
        let (inputs, outputs) = task.ends();
        let output = &outputs[0];
        if output.bytes() == 0 {
            return None;
        }
        let is_computed = |input: &Buffer| self.computed.contains(&input.id());
        let is_known = |input: &Buffer| {
            !is_computed(input) && (self.known.contains(&input.id()) || is_on_host(input))
        };
        if runner.is_index_arithmetic(task, is_known) {
            self.read.extend(inputs.iter().map(Buffer::id));
            if self.read.contains(&output.id()) {
                self.replaced.push(output.clone());
            }
            self.known.insert(output.id());
            return (!self.used.contains(&output.id())).then_some(true);
        }
        let index = match task {
            Task::Routine {
                routine, inputs, ..
            } => routines::index_of(routine, inputs),
            Task::Kernel { .. } => None,
        };
        if index.is_some_and(is_computed) {
            return None;
        }
        self.used.extend(inputs.iter().map(Buffer::id));
        self.used.insert(output.id());
        self.computed.insert(output.id());
        Some(false)
    }
}

impl Graph {
    /// Captures tasks; none if some of them are not the device's, or it refuses.
    pub(crate) fn new(runner: &Rc<Runner>, tasks: &[Task]) -> Option<Graph> {
        let mut parts = Parts::default();
        let is_ahead = tasks.iter().map(|task| parts.is_ahead(runner, task));
        let is_ahead: Vec<bool> = is_ahead.collect::<Option<_>>()?;
        // Everything has its place on the device, with its value of now.
        for task in tasks {
            let (inputs, outputs) = task.ends();
            for buffer in inputs.iter().chain(outputs) {
                gpu_buffer(buffer)
                    .and_then(|buffer| buffer.address())
                    .ok()?;
            }
        }
        let (mut ahead, mut written) = (Vec::new(), Vec::new());
        runner.gpu.list.replace(Some(CommandList::default()));
        let listed = tasks.iter().enumerate().try_for_each(|(i, task)| {
            if is_ahead[i] {
                ahead.push(Ahead::Task(i));
                return Some(());
            }
            runner.dispatch(task).ok()?;
            let looks = runner.gpu.list.borrow_mut().as_mut()?.looks.split_off(0);
            ahead.extend(looks.into_iter().map(Ahead::Look));
            let work = task.work();
            let outputs = task.ends().1.iter().enumerate();
            written.extend(outputs.map(|(i, output)| (output.clone(), work.output_dtype(i))));
            Some(())
        });
        let list = runner.gpu.list.take()?;
        listed?;
        Some(Graph {
            graph: runner.gpu.capture(&list.commands)?,
            runner: runner.clone(),
            tasks: tasks.to_vec(),
            ahead,
            replaced: parts.replaced,
            list,
            written,
        })
    }

    /// Does the processor's part; nothing of it if something of it fails.
    fn prepare(&self) -> Result<()> {
        let mut before = Vec::with_capacity(self.replaced.len());
        for buffer in &self.replaced {
            before.push(gpu_buffer(buffer)?.to_host()?);
        }
        let done = self.ahead.iter().try_for_each(|ahead| match ahead {
            Ahead::Task(i) => {
                let refusal = self.runner.cpu_fallback.index_arithmetic();
                self.runner.fall_back(&self.tasks[*i], refusal)
            }
            Ahead::Look(look) => look.run(&self.runner.gpu),
        });
        if done.is_err() {
            for (buffer, host) in self.replaced.iter().zip(before) {
                let target = gpu_buffer(buffer)?;
                target.set_host(host, target.dtype())?;
            }
        }
        done
    }
}

impl Recording for Graph {
    fn run(&self) -> Result<(), (usize, Error)> {
        if self.prepare().is_err() {
            // An index names no row: one by one, the tasks before it have run when it is told.
            return self.runner.submit(&self.tasks);
        }
        let begun = self.graph.launch();
        begun.map_err(|error| (0, self.runner.gpu.failed("starting a graph", error)))?;
        for (buffer, dtype) in &self.written {
            gpu_buffer(buffer)
                .map_err(|error| (0, error))?
                .set_written(*dtype);
        }
        let launched = &self.runner.launched;
        launched.set(launched.get() + self.written.len());
        Ok(())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // What runs on the stream from now on comes after the graph.
        for block in self.list.memory.drain(..) {
            self.runner.gpu.give(block);
        }
    }
}
