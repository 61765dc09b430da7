//! Tables kept in the user's data directory, by what they were made from. Losing them costs time only.
use std::path::{Path, PathBuf};
use std::{fs, io};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::data_folder;

/// The format of a file: this, a hash of the rest, and the rest.
const MAGIC: &[u8; 8] = b"ludextb1";
const HEAD: usize = MAGIC.len() + 8;

/// The name of a table that is made from what a text describes.
pub fn key(description: &str) -> u128 {
    xxh3_128(description.as_bytes())
}

fn folder() -> Option<PathBuf> {
    Some(data_folder()?.join("tables"))
}

fn path(folder: &Path, key: u128) -> PathBuf {
    folder.join(format!("{key:032x}"))
}

/// What was kept, if it is whole.
pub fn read(key: u128) -> Option<Vec<u8>> {
    read_in(&folder()?, key)
}

/// Keeps a table; a full or read-only disk keeps none.
pub fn write(key: u128, table: &[u8]) {
    if let Some(folder) = folder() {
        let _ = write_in(&folder, key, table);
    }
}

fn read_in(folder: &Path, key: u128) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path(folder, key)).ok()?;
    let hash = u64::from_le_bytes(bytes.get(MAGIC.len()..HEAD)?.try_into().ok()?);
    if !bytes.starts_with(MAGIC) || xxh3_64(&bytes[HEAD..]) != hash {
        return None;
    }
    Some(bytes.split_off(HEAD))
}

fn write_in(folder: &Path, key: u128, table: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut bytes = Vec::with_capacity(HEAD + table.len());
    bytes.extend(MAGIC);
    bytes.extend(xxh3_64(table).to_le_bytes());
    bytes.extend(table);
    // Whole or not at all, also when two processes find the same.
    let path = path(folder, key);
    let part = path.with_extension(format!("part{}", std::process::id()));
    fs::write(&part, bytes)?;
    fs::rename(part, &path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (here, other) = (key("a table"), key("another"));
        assert_eq!(read_in(folder.path(), here), None);
        write_in(folder.path(), here, &[3, 1, 2]).unwrap();
        assert_eq!(read_in(folder.path(), here), Some(vec![3, 1, 2]));
        assert_eq!(read_in(folder.path(), other), None);
        let file = path(folder.path(), here);
        let whole = fs::read(&file).unwrap();
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(read_in(folder.path(), here), None, "{length} bytes");
        }
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(&file, damaged).unwrap();
        assert_eq!(read_in(folder.path(), here), None);
        assert!(write_in(&file, here, &[]).is_err(), "a file is no folder");
    }
}
