//! The slots that connections take: a bounded number, of which one is always free for the next connection.
//!
//! Invariant: a connection that says nothing, or half of what it wants, or that stops reading, keeps no
//! other out. Where all slots are taken, the oldest connection that has not asked for anything loses its
//! slot, or else the one whose last request is the longest ago.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// All connections.
#[derive(Clone)]
pub(crate) struct Connections(Arc<Mutex<Taken>>);

struct Taken {
    most: usize,
    /// Counts arrivals and requests: a clock that never stands still.
    now: u64,
    held: HashMap<u64, Held>,
}

struct Held {
    /// Whether a whole request has come, and when the last one, or the connection, came. The least loses
    /// its place first.
    rank: (bool, u64),
    /// Told to the connection, by being dropped, that its place is lost.
    _keeps: oneshot::Sender<()>,
}

/// A connection's place, given back when it is dropped.
pub(crate) struct ConnectionPermit {
    connections: Connections,
    number: u64,
}

impl Connections {
    pub(crate) fn new(most: usize) -> Connections {
        Connections(Arc::new(Mutex::new(Taken {
            most,
            now: 0,
            held: HashMap::new(),
        })))
    }

    /// A place, and what resolves when it is lost to a later connection.
    pub(crate) fn enter(&self) -> (ConnectionPermit, oneshot::Receiver<()>) {
        let (keeps, lost) = oneshot::channel();
        let mut taken = self.taken();
        if taken.held.len() >= taken.most {
            let ranks = taken.held.iter().map(|(number, held)| (held.rank, *number));
            if let Some((_, least)) = ranks.min() {
                taken.held.remove(&least);
            }
        }
        taken.now += 1;
        let number = taken.now;
        let held = Held {
            rank: (false, number),
            _keeps: keeps,
        };
        taken.held.insert(number, held);
        drop(taken);
        let connections = self.clone();
        (
            ConnectionPermit {
                connections,
                number,
            },
            lost,
        )
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionPermit {
    /// Notes that a whole request has come.
    pub(crate) fn asks(&self) {
        let mut taken = self.connections.taken();
        taken.now += 1;
        let now = taken.now;
        if let Some(held) = taken.held.get_mut(&self.number) {
            held.rank = (true, now);
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.connections.taken().held.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_that_asked_for_nothing_loses_its_place_then_the_longest_idle() {
        let connections = Connections::new(3);
        let is_lost = |lost: &mut oneshot::Receiver<()>| {
            !matches!(lost.try_recv(), Err(oneshot::error::TryRecvError::Empty))
        };
        let (first, mut first_lost) = connections.enter();
        let (_second, mut second_lost) = connections.enter();
        let (third, mut third_lost) = connections.enter();
        first.asks();
        let (fourth, mut fourth_lost) = connections.enter();
        assert!(is_lost(&mut second_lost) && !is_lost(&mut first_lost));
        fourth.asks();
        third.asks();
        first.asks();
        let (_fifth, mut fifth_lost) = connections.enter();
        assert!(is_lost(&mut fourth_lost) && !is_lost(&mut third_lost));
        drop(third);
        let (_sixth, _) = connections.enter();
        assert!(!is_lost(&mut first_lost) && !is_lost(&mut fifth_lost));
        assert_eq!(connections.taken().held.len(), 3);
    }
}
