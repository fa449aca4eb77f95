//! `cargo xtask bench --symbols`: how much of the kernel is compiled once, and how much again for
//! every host.
//!
//! The example `two_hosts` is built with names that tell types; `nm` lists its functions with their
//! sizes. What names a host and is not the host's own code was compiled for it: the fast paths, and
//! the two functions of the example that they are inlined into.
//!
//! The same for fused machines: what names the code of a real machine of the benchmark was compiled for it,
//! user functions and loops over agents included. Bytes per transition have a limit.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::steps::cargo;

/// What one more host may add, in hundredths of the kernel's code.
const MOST_PERCENT: u64 = 15;
const HOSTS: u64 = 2;
/// Bytes of code that every fused machine has: the loops over its agents, each with all that happens
/// to most of them. The smallest of the real machines have about 40,000 bytes in all.
const LOOPS: u64 = 32_000;
/// Most bytes per transition besides them, with the states that they lead to: the real machines have 750 to
/// 1,200. A machine with more has got something written out many times that should be a function.
const MOST_PER_TRANSITION: u64 = 1_500;
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
    let program = build(
        "statewright-bench",
        &["--example", "two_hosts"],
        "\"executable\":\"",
    )?;
    let (once, per_host) = count(&listing(&program)?);
    judge(once, per_host)?;
    let library = build("statewright-bench-real", &["--lib"], "\"filenames\":[\"")?;
    fused(&listing(&library)?, &transitions()?)
}

/// The functions of a program or library with their sizes.
fn listing(program: &Path) -> Result<String, String> {
    let listed = Command::new("nm")
        .args(["--demangle", "--defined-only", "--print-size", "--radix=d"])
        .arg(program)
        .output()
        .map_err(|error| format!("{MISSING}: {error}"))?;
    if listed.status.success() {
        return Ok(String::from_utf8_lossy(&listed.stdout).into_owned());
    }
    let told = String::from_utf8_lossy(&listed.stderr);
    Err(format!("nm failed: {told}"))
}

/// The real machines of the benchmark: where their code lies, and how many transitions they have.
fn transitions() -> Result<Vec<(String, u64)>, String> {
    let told = cargo()
        .args(["run", "--quiet", "--release", "--bin", "bench", "--"])
        .arg("real-transitions")
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let line = |line: &str| {
        let (name, count) = line.split_once(' ')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    let told = String::from_utf8_lossy(&told.stdout);
    let machines: Vec<_> = told.lines().filter_map(line).collect();
    match machines.is_empty() {
        true => Err("the benchmark tells of no machines".to_owned()),
        false => Ok(machines),
    }
}

/// Shows what fused machines take; an error if one takes too much.
fn fused(listing: &str, machines: &[(String, u64)]) -> Result<(), String> {
    let mut too_much = Vec::new();
    for (name, transitions) in machines {
        let own = format!("bench_real::{name}::file::fused");
        let mut code = Code::default();
        for (_, bytes) in functions(listing).filter(|(function, _)| function.contains(&own)) {
            code.add(bytes);
        }
        let each = code.bytes.saturating_sub(LOOPS) / (*transitions).max(1);
        println!(
            "fused {name}: {} functions, {} bytes, {transitions} transitions: {each} bytes each besides {LOOPS} for loops (at most {MOST_PER_TRANSITION})",
            code.functions, code.bytes
        );
        if code.functions == 0 || each > MOST_PER_TRANSITION {
            too_much.push(name.as_str());
        }
    }
    match too_much.as_slice() {
        [] => Ok(()),
        names => Err(format!(
            "==> too much code, or none, for {}",
            names.join(", ")
        )),
    }
}

/// Builds a part of a package in release, with names that tell types; where it is, by what stands before
/// that in cargo's messages.
fn build(package: &str, part: &[&str], before: &str) -> Result<PathBuf, String> {
    let built = cargo()
        .args(["rustc", "--quiet", "--release", "--package", package])
        .args(part)
        .args([
            "--message-format=json",
            "--",
            "-Csymbol-mangling-version=v0",
        ])
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !built.status.success() {
        return Err(format!(
            "the benchmark does not compile ({})",
            part.join(" ")
        ));
    }
    let messages = String::from_utf8_lossy(&built.stdout);
    let places = messages
        .split(before)
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    places
        .last()
        .map(PathBuf::from)
        .ok_or_else(|| "cargo does not say where it is".to_owned())
}

/// Adds up the functions of the kernel: those that exist once, those per host.
fn count(listing: &str) -> (Code, Code) {
    let (mut once, mut per_host) = (Code::default(), Code::default());
    for (name, bytes) in functions(listing) {
        match part(name) {
            Part::Once => once.add(bytes),
            Part::PerHost => per_host.add(bytes),
            Part::Other => {}
        }
    }
    (once, per_host)
}

/// Names and sizes of the functions in what `nm` says.
fn functions(listing: &str) -> impl Iterator<Item = (&str, u64)> {
    listing.lines().filter_map(|line| {
        let mut words = line.splitn(4, ' ');
        let (_, size, kind, name) = (words.next(), words.next(), words.next(), words.next());
        let bytes = size?.parse().ok()?;
        let is_code = matches!(kind?, "t" | "T" | "w" | "W");
        is_code.then_some((name?, bytes))
    })
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
    fn code_of_a_machine_is_found_and_bounded() {
        let listing = "\
            0000000000001000 0000000000000400 t statewright_bench_real::trap::file::fused::take_3::<L, H>\n\
            0000000000001010 0000000000000600 t <FusedWith<Trap, statewright_bench_real::trap::file::fused::Code>>::CODE::{closure}\n\
            0000000000001020 0000000000090000 t statewright_bench_real::boss::file::fused::poll\n";
        let machines = |transitions| [("trap".to_owned(), transitions)];
        assert!(fused(listing, &machines(1)).is_ok());
        let listing = listing.replace("0000000000000600", "0000000000060000");
        assert!(fused(&listing, &machines(1)).is_err());
        assert!(fused("", &machines(1)).is_err());
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
