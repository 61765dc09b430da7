//! The real binary in a pseudo-terminal.
