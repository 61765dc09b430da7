//! Tables kept in the user's data directory, by what they were made from. Losing them costs time only.
use std::path::PathBuf;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::data_folder;

/// The format of a file: this, a hash of the rest, and the rest.
const MAGIC: &[u8; 8] = b"ludextb1";
const HEAD: usize = MAGIC.len() + 8;

/// The name of a table that is made from what a text describes.
pub fn key(description: &str) -> u128 {
    xxh3_128(description.as_bytes())
}

fn path(key: u128) -> Option<PathBuf> {
    Some(data_folder()?.join("tables").join(format!("{key:032x}")))
}

/// What was kept, if it is whole.
pub fn read(key: u128) -> Option<Vec<u8>> {
    let mut bytes = std::fs::read(path(key)?).ok()?;
    let hash = u64::from_le_bytes(bytes.get(MAGIC.len()..HEAD)?.try_into().ok()?);
    if !bytes.starts_with(MAGIC) || xxh3_64(&bytes[HEAD..]) != hash {
        return None;
    }
    Some(bytes.split_off(HEAD))
}

/// Keeps a table; a full or read-only disk keeps none.
pub fn write(key: u128, table: &[u8]) {
    let Some(path) = path(key) else { return };
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
        let mut bytes = Vec::with_capacity(HEAD + table.len());
        bytes.extend(MAGIC);
        bytes.extend(xxh3_64(table).to_le_bytes());
        bytes.extend(table);
        // Whole or not at all, also when two processes find the same.
        let part = path.with_extension(format!("part{}", std::process::id()));
        std::fs::write(&part, bytes)?;
        std::fs::rename(part, &path)
    };
    let _ = write();
}
