//! Which characters a name may have, for `str.isidentifier`.

use unicode_ident::{is_xid_continue, is_xid_start};

/// Whether a name may begin with it.
pub fn is_start(c: char) -> bool {
    c == '_' || is_xid_start(c)
}

/// Whether a name may go on with it.
pub fn is_continue(c: char) -> bool {
    is_xid_continue(c)
}
