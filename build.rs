//! Lists the files that a release binary carries, as `EMBEDDED` in `$OUT_DIR/embedded.rs`.
//!
//! A debug build carries none, so that an edit of content doesn't rebuild the host; `LUDEX_EMBED=1`
//! makes it carry them too.
use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LUDEX_EMBED");
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let mut files = Vec::new();
    if release || env::var("LUDEX_EMBED").is_ok_and(|value| value == "1") {
        for folder in ["content", "schema", "scripts"] {
            println!("cargo::rerun-if-changed={folder}");
            collect(Path::new(folder), &mut files)?;
        }
    }
    files.sort();
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let mut code = String::from("const EMBEDDED: &[(&str, &str)] = &[\n");
    for file in files {
        let path = Path::new(&root).join(&file);
        writeln!(code, "    ({file:?}, include_str!({:?})),", path.display()).map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(
        Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("embedded.rs"),
        code,
    )
}

fn collect(folder: &Path, files: &mut Vec<String>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else if [".toml", ".luau", ".json"].iter().any(|end| name.ends_with(end)) {
            files.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}
