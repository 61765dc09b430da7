//! Hot reload of the real binary.
