//! Paths as people type them.
use std::env;
use std::path::{Component, Path, PathBuf};

/// A path as a person typed it: `~/` is the home directory, which no shell has put in.
pub fn typed_path(text: &str) -> PathBuf {
    tidy(
        match (
            text.strip_prefix("~/"),
            env::var_os("HOME").filter(|home| !home.is_empty()),
        ) {
            (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
            _ => text.into(),
        },
    )
}

/// The same path without detours, so that messages show it short: `../x` for `./../x/./y/..`.
pub fn tidy(path: PathBuf) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if goes_back(&tidied) => drop(tidied.pop()),
            _ => tidied.push(part),
        }
    }
    // A command must not take it for an option.
    let is_option = tidied.as_os_str().to_string_lossy().starts_with('-');
    if tidied.as_os_str().is_empty() && !path.as_os_str().is_empty() {
        ".".into()
    } else if is_option {
        Path::new(".").join(tidied)
    } else {
        tidied
    }
}

/// Whether `..` leads from a path to the folder that its name says: not where it is a link.
fn goes_back(path: &Path) -> bool {
    match path.components().next_back() {
        Some(Component::Normal(_)) => path.symlink_metadata().is_ok_and(|meta| meta.is_dir()),
        Some(Component::RootDir) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_left_out() {
        for (typed, tidied) in [
            ("./host/./pack/../cli", "host/cli"),
            ("./../x/./y", "../x/y"),
            ("host/..", "."),
            ("./", "."),
            ("host/", "host"),
            ("/..//usr", "/usr"),
            // Whatever that is, what is typed is told.
            ("nowhere/../x", "nowhere/../x"),
            ("./-x", "./-x"),
            ("", ""),
        ] {
            assert_eq!(tidy(typed.into()), Path::new(tidied), "{typed}");
            assert_eq!(tidy(typed.into()).as_os_str(), tidied, "{typed}");
        }
    }
}
