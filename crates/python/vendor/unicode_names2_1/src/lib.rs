//! The names of characters under the number of an older version; see `../unicode_names2`.

pub use names::{Name, character, name};
