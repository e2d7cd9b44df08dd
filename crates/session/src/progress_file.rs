//! What a file of a learner's progress begins with: the page's course writes and reads such files
//! (`www/src/store/file.ts`), and `glow lesson check` reads them.

use crate::constants::shared;

shared! {
    "progressFile.ts":
    /// The `format` of a file.
    PROGRESS_FORMAT: &str = "glowgrad-progress";
    /// The `version` of a file.
    PROGRESS_VERSION: u32 = 1;
    /// Far more bytes than a course fills; a larger file is something else.
    MOST_PROGRESS_BYTES: u64 = 16_777_216;
}
