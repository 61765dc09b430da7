//! Packs: manifests, TOML to checked definitions, schemas, overlays, resolution. No Lua.
pub mod model;
