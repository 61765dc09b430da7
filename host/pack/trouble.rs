//! What the system says of a file, in plain words.
use std::io::{Error, ErrorKind};

/// Why a file can't be used: "there is no such file".
pub fn with_file(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::PermissionDenied => "permission is denied; change who may use it".into(),
        ErrorKind::IsADirectory => "this is a folder, no file".into(),
        ErrorKind::InvalidData => "this is no UTF-8 text".into(),
        _ => error.to_string(),
    }
}
