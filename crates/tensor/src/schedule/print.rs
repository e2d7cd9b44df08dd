//! A plan as text: an item a line, what it reads, and until when its result is kept.

use std::fmt::{self, Display, Formatter};

use super::memory_plan::{Key, LiveRanges, ScheduleItem};
use super::plan::{Plan, Planner, Request};
use crate::Result;
use crate::graph::{Engine, Held, NodeRef};
use crate::shape;
use rustc_hash::FxHashMap;

/// What slots are called: `%2` is the result of item 2, `#0` memory that was there before.
struct Names(FxHashMap<Key, String>);

impl Names {
    fn of(plan: &Plan) -> Names {
        let results = plan.items.iter().enumerate();
        let mut names: FxHashMap<Key, String> = results
            .map(|(i, item)| (item.output.key(), format!("%{i}")))
            .collect();
        let mut n_there = 0;
        for slot in plan.items.iter().flat_map(|item| &item.inputs) {
            names.entry(slot.key()).or_insert_with(|| {
                n_there += 1;
                format!("#{}", n_there - 1)
            });
        }
        Names(names)
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (names, ranges) = (Names::of(self), LiveRanges::new(self));
        for (i, item) in self.items.iter().enumerate() {
            let stored = self.stored_by(i);
            let ops: Vec<&str> = item.nodes.iter().map(|id| self.nodes[id].op.name).collect();
            let inputs: Vec<&str> = item
                .inputs
                .iter()
                .map(|slot| &*names.0[&slot.key()])
                .collect();
            write!(
                f,
                "%{i} = {} ({}) {}{} from {}",
                item.name(),
                ops.join(" "),
                stored.dtype,
                shape::show(&stored.shape),
                inputs.join(" ")
            )?;
            match ranges.until(item.output.key()) {
                Some(last) => write!(f, "; until %{last}")?,
                None => write!(f, "; kept")?,
            }
            if let Some(taken) = taken(item, i, &ranges) {
                write!(f, "; in the memory of {}", names.0[&taken])?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The input whose memory takes the result, if no other node shares that memory when the item runs.
fn taken(item: &ScheduleItem, at: usize, ranges: &LiveRanges) -> Option<Key> {
    let ends_here = |input: usize| ranges.ends_at(item.inputs[input].key(), at);
    let input = item.replaceable(ends_here)?;
    Some(item.inputs[input].key())
}

impl Engine {
    /// The plan that computes nodes, as text: an item a line. Nothing runs. `%2` is the result of item 2, `#0`
    /// memory that was there before.
    ///
    /// # Errors
    /// When a value is needed that was let go.
    pub fn plan(&self, nodes: &[NodeRef]) -> Result<String> {
        let request = Request {
            asked: nodes.to_vec(),
            written: Vec::new(),
            walked: &[],
            held: Held::ByReference,
        };
        Ok(Planner::new(self).plan(request)?.to_string())
    }
}
