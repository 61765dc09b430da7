//! The real binary, run as people and programs run it: killed, watched, fed nonsense.
#![cfg(unix)]

mod broken;
mod console;
mod garbled;
mod guarded;
mod kill;
mod living;
mod odd;
mod path;
mod replay;
mod simulation;
mod stranger;
mod support;
mod terminal;
mod transcript;
mod watch;
