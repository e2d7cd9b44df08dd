//! A plan as text: an item a line, what it reads, and until when its results are kept.

use std::fmt::{self, Display, Formatter};

use super::memory_plan::{Key, LiveRanges, ScheduleItem};
use super::plan::{Plan, Planner, Request};
use crate::Result;
use crate::graph::{Engine, Held, NodeRef};
use crate::kernel::InPlace;
use crate::shape;
use rustc_hash::FxHashMap;

/// What slots are called: `%2` is the result of item 2, `%2.1` its second one, `#0` memory that was there before.
struct Names(FxHashMap<Key, String>);

impl Names {
    fn of(plan: &Plan) -> Names {
        let mut names: FxHashMap<Key, String> = FxHashMap::default();
        for (i, item) in plan.items.iter().enumerate() {
            for (o, slot) in item.outputs.iter().enumerate() {
                let name = match o {
                    0 => format!("%{i}"),
                    _ => format!("%{i}.{o}"),
                };
                names.insert(slot.key(), name);
            }
        }
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
            let replaced = taken(item, i, &ranges);
            for (o, slot) in item.outputs.iter().enumerate() {
                let name = match o {
                    0 => String::new(),
                    _ => format!(", {}", names.0[&slot.key()]),
                };
                match ranges.until(slot.key()) {
                    Some(last) => write!(f, "{name}; until %{last}")?,
                    None => write!(f, "{name}; kept")?,
                }
                if let Some(input) = replaced[o] {
                    let taken = item.inputs[usize::from(input)].key();
                    write!(f, "; in the memory of {}", names.0[&taken])?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The inputs whose memory takes the results, if no other node shares that memory when the item runs.
fn taken(item: &ScheduleItem, at: usize, ranges: &LiveRanges) -> InPlace {
    item.replaceable(|input| ranges.ends_at(item.inputs[input].key(), at))
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
