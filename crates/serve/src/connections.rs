//! A bounded number of connections, of which one that waits on its client makes room for the next.
//!
//! Invariant: a connection whose request was read whole keeps its place until it was answered. Others may lose theirs
//! where all are taken: first the oldest of those that have asked for nothing, then the one that has said nothing for the
//! longest time. Decision 0025 says why connections are let in rather than kept waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The places, and the connections that hold them.
#[derive(Clone)]
pub(crate) struct Connections(Arc<Mutex<Taken>>);

struct Taken {
    most: usize,
    /// Counts arrivals and requests: a clock that never stands still.
    now: u64,
    held: HashMap<u64, Held>,
}

struct Held {
    state: State,
    /// When the state came about.
    since: u64,
    /// Told to the connection, by being dropped, that its place is lost.
    _keeps: oneshot::Sender<()>,
}

/// What a connection does, the first to lose its place first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// No head of a request has come.
    Silent,
    /// Its client is to send: a body, or the next request.
    Waiting,
    /// A request was read whole and is not answered.
    Busy,
}

/// A connection's place, given back when it is dropped.
pub(crate) struct ConnectionSlot {
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

    /// A place, and what resolves when it is lost; none where every connection is busy.
    pub(crate) fn enter(&self) -> Option<(ConnectionSlot, oneshot::Receiver<()>)> {
        let (keeps, lost) = oneshot::channel();
        let mut taken = self.taken();
        if taken.held.len() >= taken.most {
            let idle = taken
                .held
                .iter()
                .filter(|(_, held)| held.state != State::Busy);
            let ranks = idle.map(|(number, held)| (held.state, held.since, *number));
            let (_, _, least) = ranks.min()?;
            taken.held.remove(&least);
        }
        taken.now += 1;
        let number = taken.now;
        let held = Held {
            state: State::Silent,
            since: number,
            _keeps: keeps,
        };
        taken.held.insert(number, held);
        drop(taken);
        let connections = self.clone();
        let place = ConnectionSlot {
            connections,
            number,
        };
        Some((place, lost))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.taken().held.len()
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// Notes that the client is to send.
    pub(crate) fn waits(&self) {
        self.set(State::Waiting);
    }

    /// Notes that a request was read whole.
    pub(crate) fn is_busy(&self) {
        self.set(State::Busy);
    }

    fn set(&self, state: State) {
        let mut taken = self.connections.taken();
        taken.now += 1;
        let now = taken.now;
        if let Some(held) = taken.held.get_mut(&self.number) {
            held.state = state;
            held.since = now;
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.taken().held.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_lost(lost: &mut oneshot::Receiver<()>) -> bool {
        !matches!(lost.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }

    #[test]
    fn busy_connections_keep_their_places() {
        let connections = Connections::new(3);
        let (first, mut first_lost) = connections.enter().unwrap();
        let (_second, mut second_lost) = connections.enter().unwrap();
        let (third, mut third_lost) = connections.enter().unwrap();
        first.is_busy();
        third.waits();
        let (fourth, _lost) = connections.enter().unwrap();
        assert!(is_lost(&mut second_lost) && !is_lost(&mut third_lost));
        fourth.is_busy();
        let (fifth, _lost) = connections.enter().unwrap();
        assert!(is_lost(&mut third_lost) && !is_lost(&mut first_lost));
        fifth.is_busy();
        assert!(connections.enter().is_none());
        first.waits();
        assert!(connections.enter().is_some());
        assert!(is_lost(&mut first_lost));
        drop(fifth);
        assert_eq!(connections.len(), 1);
    }
}
