//! The real binary: whole outputs, exit status, files.
mod harness;
mod bots;
mod play;
mod recording;
mod reload;
mod replay;
mod sim;
mod terminal;
mod usage;
mod wire;
