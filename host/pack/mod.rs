//! Packs: manifests, TOML to checked definitions, schemas, overlays, resolution. No Lua.
//!
//! [`load`] reads what a [`Selection`] activates from [`Sources`] into a [`model::Catalogue`], or tells
//! every problem as a [`Diagnostic`]; [`installed`] lists the packs that there are.
mod abilities;
mod boards;
#[cfg(test)]
mod broken_tests;
pub mod diagnostic;
mod duplicates;
pub mod embedded;
mod exports;
mod fields;
pub mod files;
pub mod folder;
#[cfg(test)]
mod folder_tests;
mod game;
pub mod kept;
mod kinds;
mod load;
#[cfg(test)]
mod load_tests;
pub mod locate;
mod looks;
pub mod manifest;
pub mod model;
pub mod names;
pub mod node;
mod overlay;
mod placeholders;
mod read;
mod references;
pub mod report;
pub mod resolve;
mod rules;
pub mod schema;
mod scripts;
pub mod sources;
pub mod template;
pub mod toml_file;
pub mod trouble;
mod typed;
pub mod values;
mod walk;

pub use abilities::ability_matches;
pub use diagnostic::{Diagnostic, Related, Severity};
pub use load::load;
pub use locate::locate;
pub use placeholders::placeholders;
pub use references::{Reference, parse as parse_reference};
pub use resolve::{Installed, Selection, installed};
pub use sources::{Origin, Sources, data_folder, pack_id};
pub use typed::{tidy, typed_path};
pub use walk::scripts as scripts_of;
