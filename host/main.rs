//! The `ludex` binary: hands the arguments to `cli` and exits with its status.
fn main() -> std::process::ExitCode {
    ludex::cli::main()
}
