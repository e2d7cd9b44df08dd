//! Places for connections: a bounded number, and always one for the next.
//!
//! Invariant: a connection that says nothing, or half of what it wants, or that stops reading, keeps no
//! other out. Where all places are taken, the oldest connection that has not asked for anything loses its
//! place, or else the one whose last request is the longest ago.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// All places.
#[derive(Clone)]
pub(crate) struct Places(Arc<Mutex<Taken>>);

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
pub(crate) struct Place {
    places: Places,
    number: u64,
}

impl Places {
    pub(crate) fn new(most: usize) -> Places {
        Places(Arc::new(Mutex::new(Taken {
            most,
            now: 0,
            held: HashMap::new(),
        })))
    }

    /// A place, and what resolves when it is lost to a later connection.
    pub(crate) fn enter(&self) -> (Place, oneshot::Receiver<()>) {
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
        let places = self.clone();
        (Place { places, number }, lost)
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Notes that a whole request has come.
    pub(crate) fn asks(&self) {
        let mut taken = self.places.taken();
        taken.now += 1;
        let now = taken.now;
        if let Some(held) = taken.held.get_mut(&self.number) {
            held.rank = (true, now);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().held.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_that_asked_for_nothing_loses_its_place_then_the_longest_idle() {
        let places = Places::new(3);
        let is_lost = |lost: &mut oneshot::Receiver<()>| {
            !matches!(lost.try_recv(), Err(oneshot::error::TryRecvError::Empty))
        };
        let (first, mut first_lost) = places.enter();
        let (_second, mut second_lost) = places.enter();
        let (third, mut third_lost) = places.enter();
        first.asks();
        let (fourth, mut fourth_lost) = places.enter();
        assert!(is_lost(&mut second_lost) && !is_lost(&mut first_lost));
        fourth.asks();
        third.asks();
        first.asks();
        let (_fifth, mut fifth_lost) = places.enter();
        assert!(is_lost(&mut fourth_lost) && !is_lost(&mut third_lost));
        drop(third);
        let (_sixth, _) = places.enter();
        assert!(!is_lost(&mut first_lost) && !is_lost(&mut fifth_lost));
        assert_eq!(places.taken().held.len(), 3);
    }
}
