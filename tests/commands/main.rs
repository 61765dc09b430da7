//! The real binary: whole outputs, exit status, files.
mod bots;
mod console;
mod damage;
mod examples;
mod harness;
mod play;
mod prompts;
mod recording;
mod reload;
mod replay;
mod sim;
mod solve;
mod usage;
mod wire;
