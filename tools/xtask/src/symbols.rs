//! `cargo xtask bench --symbols`: how much of the kernel is compiled once, and how much again for
//! every host.
//!
//! The example `two_hosts` is built with names that tell types; `nm` lists its functions with their
//! sizes. What names a host and is not the host's own code was compiled for it: the fast paths, and
//! the two functions of the example that they are inlined into.

use std::path::PathBuf;
use std::process::Command;

use crate::steps::cargo;

/// What one more host may add, in hundredths of the kernel's code.
const MOST_PERCENT: u64 = 15;
const HOSTS: u64 = 2;
const MISSING: &str =
    "cannot run nm, which lists functions (Debian, Ubuntu: `apt install binutils`)";

/// Functions and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Code {
    functions: u64,
    bytes: u64,
}

impl Code {
    fn add(&mut self, bytes: u64) {
        self.functions += 1;
        self.bytes += bytes;
    }
}

/// Whose code a function is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Once,
    PerHost,
    Other,
}

/// Builds, counts, shows; an error if too much is compiled per host.
pub fn symbols() -> Result<(), String> {
    let program = build()?;
    let listed = Command::new("nm")
        .args(["--demangle", "--defined-only", "--print-size", "--radix=d"])
        .arg(&program)
        .output()
        .map_err(|error| format!("{MISSING}: {error}"))?;
    if !listed.status.success() {
        return Err(format!(
            "nm failed: {}",
            String::from_utf8_lossy(&listed.stderr)
        ));
    }
    let (once, per_host) = count(&String::from_utf8_lossy(&listed.stdout));
    judge(once, per_host)
}

/// Builds the example in release; where it is.
fn build() -> Result<PathBuf, String> {
    let built = cargo()
        .args([
            "rustc",
            "--quiet",
            "--release",
            "--package",
            "statewright-bench",
            "--example",
            "two_hosts",
        ])
        .args([
            "--message-format=json",
            "--",
            "-Csymbol-mangling-version=v0",
        ])
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !built.status.success() {
        return Err("the example `two_hosts` does not compile".to_owned());
    }
    let messages = String::from_utf8_lossy(&built.stdout);
    let places = messages
        .split("\"executable\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    places
        .last()
        .map(PathBuf::from)
        .ok_or_else(|| "cargo does not say where the example is".to_owned())
}

/// Adds up the functions of the kernel: those that exist once, those per host.
fn count(listing: &str) -> (Code, Code) {
    let (mut once, mut per_host) = (Code::default(), Code::default());
    for line in listing.lines() {
        let mut words = line.splitn(4, ' ');
        let (_, size, kind, name) = (words.next(), words.next(), words.next(), words.next());
        let Some(bytes) = size.and_then(|size| size.parse().ok()) else {
            continue;
        };
        if !matches!(kind, Some("t" | "T" | "w" | "W")) {
            continue;
        }
        match name.map_or(Part::Other, part) {
            Part::Once => once.add(bytes),
            Part::PerHost => per_host.add(bytes),
            Part::Other => {}
        }
    }
    (once, per_host)
}

fn part(name: &str) -> Part {
    let own = name.starts_with("<two_hosts::");
    let names_host = ["two_hosts::First", "two_hosts::Second"]
        .iter()
        .any(|host| name.contains(host));
    if names_host && !own {
        Part::PerHost
    } else if name.contains("statewright_kernel") && !own {
        Part::Once
    } else {
        Part::Other
    }
}

fn judge(once: Code, per_host: Code) -> Result<(), String> {
    if once.functions == 0 || per_host.functions == 0 {
        return Err(format!(
            "nm shows no functions of the kernel: {once:?} once, {per_host:?} per host"
        ));
    }
    let one = per_host.bytes / HOSTS;
    let percent = one as f64 * 100.0 / (once.bytes + one) as f64;
    println!(
        "kernel, compiled once:     {:>4} functions, {:>7} bytes",
        once.functions, once.bytes
    );
    println!(
        "kernel, for {HOSTS} hosts:       {:>4} functions, {:>7} bytes",
        per_host.functions, per_host.bytes
    );
    println!(
        "one host adds {one} bytes, {percent:.1} % of the kernel's code (at most {MOST_PERCENT} %)"
    );
    if percent > MOST_PERCENT as f64 {
        Err("==> too much of the kernel is compiled per host".to_owned())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_apart() {
        let listing = "\
            0000000000001000 0000000000000010 t statewright_kernel::tick::run\n\
            0000000000001010 0000000000000020 t two_hosts::alone::<two_hosts::First>\n\
            0000000000001020 0000000000000030 t <&mut two_hosts::Second as statewright_kernel::host::Host>::guard\n\
            0000000000001030 0000000000000040 t <two_hosts::First as statewright_kernel::host::Host>::guard\n\
            0000000000001040 0000000000000050 r statewright_kernel::TABLE\n\
            0000000000001050 t statewright_kernel::without_size\n\
            0000000000001060 0000000000000060 T main\n";
        assert_eq!(
            count(listing),
            (
                Code {
                    functions: 1,
                    bytes: 10
                },
                Code {
                    functions: 2,
                    bytes: 50
                }
            )
        );
    }

    #[test]
    fn too_much_per_host_is_an_error() {
        let code = |bytes| Code {
            functions: 1,
            bytes,
        };
        assert!(judge(code(1000), code(300)).is_ok());
        assert!(judge(code(1000), code(400)).is_err());
        assert!(judge(code(0), Code::default()).is_err());
    }
}
