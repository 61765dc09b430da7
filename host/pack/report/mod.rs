//! Diagnostics as text, JSON and SARIF.
mod json;
mod sarif;
mod text;

pub use json::json;
pub use sarif::sarif;
pub use text::text;
