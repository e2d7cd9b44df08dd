//! How often what a cell prints is sent: by the page's worker, and by the process of a session of `glow lab`.

use crate::constants::shared;

shared! {
    "printing.ts":
    /// Milliseconds between two messages of printed text: a loop that prints must not fill the page's queue,
    /// with the click on Stop in it.
    BETWEEN_PRINTS_MILLIS: u64 = 16;
}
