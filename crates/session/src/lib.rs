//! The brain of the lab: commands in, events out. Knows no transport.
