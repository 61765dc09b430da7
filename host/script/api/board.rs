//! Stand-in until the geometry's API lands.
use super::Record;
pub const RECORDS: &[Record] = &[];
