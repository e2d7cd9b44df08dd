//! Models of descriptions.

mod network;
