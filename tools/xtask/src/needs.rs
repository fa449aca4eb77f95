//! What a step needs beyond the toolchain: whether it is here, the command that installs it, and
//! running that command if somebody asked for it. Nothing is ever installed unasked.

use std::path::Path;
use std::process::{Command, Stdio};

/// Something that may be missing on a computer.
pub enum Need {
    /// A target of the toolchain.
    Target(&'static str),
    /// Something that other programs load: a driver, a library.
    File {
        /// What it is.
        what: &'static str,
        /// Paths of which one is there.
        paths: &'static [&'static str],
        /// Commands that install it, the first that works; none if only a person should.
        install: &'static [&'static [&'static str]],
        /// What a person types to install it.
        hint: &'static str,
    },
    /// A program.
    Program {
        /// Ends well if the program is here.
        probe: &'static [&'static str],
        /// Commands that install it, the first that works; none if only a person should.
        install: &'static [&'static [&'static str]],
        /// What a person types to install it.
        hint: &'static str,
    },
}

/// How Debian installs a package: as root, or as whoever may become root without being asked.
macro_rules! apt {
    ($package:literal) => {
        &[
            &[
                "apt-get",
                "install",
                "--yes",
                "--no-install-recommends",
                $package,
            ],
            &[
                "sudo",
                "-n",
                "apt-get",
                "install",
                "--yes",
                "--no-install-recommends",
                $package,
            ],
        ]
    };
}

/// Counts instructions.
pub const VALGRIND: Need = Need::Program {
    probe: &["valgrind", "--version"],
    install: apt!("valgrind"),
    hint: "apt install valgrind",
};

/// Judges dependencies. It takes longer to build than all steps together may, so only people
/// install it; the workflow fetches it built.
pub const DENY: Need = Need::Program {
    probe: &["cargo", "deny", "--version"],
    install: &[],
    hint: "cargo install --locked cargo-deny",
};

/// An editor that needs no screen, for a session with the language server.
pub const NEOVIM: Need = Need::Program {
    probe: &["nvim", "--version"],
    install: apt!("neovim"),
    hint: "apt install neovim",
};

/// Renders without a screen and without a graphics card, the same on every computer.
pub const SOFTWARE_VULKAN: Need = Need::File {
    what: "the software driver for Vulkan (lavapipe)",
    paths: &LAVAPIPE,
    install: apt!("mesa-vulkan-drivers"),
    hint: "apt install mesa-vulkan-drivers",
};

/// How distributions call its description, which the loader of Vulkan reads.
pub const LAVAPIPE: [&str; 3] = [
    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.json",
];

impl Need {
    /// Whether it is here, after installing it where that was asked for; else why not.
    pub fn have(&self, install: bool) -> Result<(), String> {
        if self.is_here() || (install && self.install() && self.is_here()) {
            return Ok(());
        }
        let (what, hint) = match self {
            Self::Target(target) => (
                format!("the target {target}"),
                format!("rustup target add {target}"),
            ),
            Self::File { what, hint, .. } => ((*what).to_owned(), (*hint).to_owned()),
            Self::Program { probe, hint, .. } => {
                let words = probe.iter().filter(|word| !word.starts_with('-'));
                let name = words.copied().collect::<Vec<_>>().join(" ");
                (name, (*hint).to_owned())
            }
        };
        Err(format!("{what} is not here: `{hint}`"))
    }

    fn is_here(&self) -> bool {
        match self {
            Self::Target(target) => target_is_here(target),
            Self::File { paths, .. } => paths.iter().any(|path| Path::new(path).exists()),
            Self::Program { probe, .. } => works(probe),
        }
    }

    fn install(&self) -> bool {
        match self {
            Self::Target(target) => works(&["rustup", "target", "add", target]),
            Self::File { install, .. } | Self::Program { install, .. } => {
                install.iter().any(|command| works(command))
            }
        }
    }
}

/// Whether the toolchain has the standard library (or core) of a target.
fn target_is_here(target: &str) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", target])
        .output();
    asked.is_ok_and(|output| {
        let path = String::from_utf8_lossy(&output.stdout);
        output.status.success() && Path::new(path.trim()).is_dir()
    })
}

fn works(command: &[&str]) -> bool {
    let run = Command::new(command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    run.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_says_how_to_install_it() {
        let error = Need::Target("no-such-target").have(false).unwrap_err();
        assert_eq!(
            error,
            "the target no-such-target is not here: `rustup target add no-such-target`"
        );
    }

    #[test]
    fn a_file_is_here_if_one_of_its_paths_is() {
        let need = |paths| Need::File {
            what: "a driver",
            paths,
            install: &[],
            hint: "apt install driver",
        };
        assert_eq!(
            need(&["/nowhere", env!("CARGO_MANIFEST_DIR")]).have(false),
            Ok(())
        );
        assert_eq!(
            need(&["/nowhere"]).have(true).unwrap_err(),
            "a driver is not here: `apt install driver`"
        );
    }

    #[test]
    fn the_target_of_this_computer_is_here() {
        let output = Command::new("rustc").arg("-vV").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let host = text.lines().find_map(|line| line.strip_prefix("host: "));
        assert!(target_is_here(host.unwrap()));
    }
}
