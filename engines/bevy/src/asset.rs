//! Machines as assets: from machine files, which are compiled while they load (feature `compile`), and
//! from finished ROMs with their names.

use std::fmt;
use std::path::PathBuf;

use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetLoader, LoadContext};
use bevy_reflect::TypePath;
use statewright::{Machine, MachineError, SymbolTable};

/// A machine.
///
/// ```no_run
/// # use bevy_asset::{AssetServer, Handle};
/// # use bevy_statewright::MachineAsset;
/// # fn load(server: &AssetServer) {
/// let machine: Handle<MachineAsset> = server.load("guard.sw.json");
/// # }
/// ```
#[derive(Asset, TypePath, Clone, Debug)]
pub struct MachineAsset(pub Machine);

impl From<Machine> for MachineAsset {
    fn from(machine: Machine) -> Self {
        Self(machine)
    }
}

/// Why a machine was not loaded.
pub struct MachineLoadError(String);

impl fmt::Display for MachineLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The same text: Bevy shows errors of loaders so.
impl fmt::Debug for MachineLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MachineLoadError {}

impl From<MachineError> for MachineLoadError {
    fn from(error: MachineError) -> Self {
        Self(error.to_string())
    }
}

impl From<std::io::Error> for MachineLoadError {
    fn from(error: std::io::Error) -> Self {
        Self(format!("cannot be read: {error}"))
    }
}

/// Loads finished machines, `*.swrom`, with the names that lie beside them in `*.swdbg`, if any do.
#[derive(Default, TypePath)]
pub struct RomLoader;

impl AssetLoader for RomLoader {
    type Asset = MachineAsset;
    type Settings = ();
    type Error = MachineLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<MachineAsset, MachineLoadError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let names = beside(context, |path| path.with_extension("swdbg"));
        let symbols = match context.read_asset_bytes(names.clone()).await {
            Ok(bytes) => {
                SymbolTable::from_json(&String::from_utf8_lossy(&bytes)).map_err(|error| {
                    MachineLoadError(format!("{}: {error}", names.path().display()))
                })?
            }
            // A release has none.
            Err(_) => SymbolTable::default(),
        };
        Ok(MachineAsset(Machine::from_rom(bytes, symbols)?))
    }

    fn extensions(&self) -> &[&str] {
        &["swrom"]
    }
}

/// Another file of the same source.
fn beside(
    context: &LoadContext<'_>,
    other: impl FnOnce(&std::path::Path) -> PathBuf,
) -> bevy_asset::AssetPath<'static> {
    let own = context.path();
    bevy_asset::AssetPath::from(other(own.path())).with_source(own.source().clone_owned())
}

#[cfg(feature = "compile")]
pub use compiled::MachineLoader;
#[cfg(feature = "compile")]
pub(crate) use compiled::read_machine;

#[cfg(feature = "compile")]
mod compiled {
    use std::cell::RefCell;
    use std::collections::{BTreeMap, BTreeSet};

    use statewright_author::parts::PartFiles;

    use super::*;

    /// Files that were read, and those that were asked for.
    #[derive(Default)]
    struct Parts {
        read: BTreeMap<String, Result<String, String>>,
        asked: RefCell<BTreeSet<String>>,
    }

    impl PartFiles for Parts {
        fn read(&self, name: &str) -> Result<String, String> {
            let known = self.read.get(name).cloned();
            known.unwrap_or_else(|| {
                self.asked.borrow_mut().insert(name.to_owned());
                Err("is being read".to_owned())
            })
        }
    }

    /// So many rounds: parts may use parts, and each round reads those of one level.
    const MOST_LEVELS: usize = 64;

    /// Loads machine files, `*.sw.json`, and compiles them. Parts that a file uses belong to it: it is
    /// loaded anew when one of them is saved.
    #[derive(Default, TypePath)]
    pub struct MachineLoader;

    impl AssetLoader for MachineLoader {
        type Asset = MachineAsset;
        type Settings = ();
        type Error = MachineLoadError;

        async fn load(
            &self,
            reader: &mut dyn Reader,
            _: &(),
            context: &mut LoadContext<'_>,
        ) -> Result<MachineAsset, MachineLoadError> {
            read_machine(reader, context).await.map(MachineAsset)
        }

        fn extensions(&self) -> &[&str] {
            &["sw.json"]
        }
    }

    /// A machine file with its parts, all of which the asset that is loaded depends on.
    pub(crate) async fn read_machine(
        reader: &mut dyn Reader,
        context: &mut LoadContext<'_>,
    ) -> Result<Machine, MachineLoadError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let text = String::from_utf8(bytes)
            .map_err(|_| MachineLoadError("is not UTF-8 text".to_owned()))?;
        let name = context.path().path().to_string_lossy().replace('\\', "/");
        let mut read = BTreeMap::new();
        // Bound: each round reads files that were not read before, or ends.
        for _ in 0..MOST_LEVELS {
            let (machine, asked, known) = compile(&name, &text, read);
            read = known;
            if asked.is_empty() {
                return Ok(machine?);
            }
            for part in asked {
                let path = beside(context, |_| PathBuf::from(&part));
                let bytes = context.read_asset_bytes(path).await;
                let text = bytes.map_err(|error| error.to_string()).and_then(|bytes| {
                    String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())
                });
                read.insert(part, text);
            }
        }
        Err(MachineLoadError(format!(
            "parts use parts more than {MOST_LEVELS} levels deep"
        )))
    }

    type Read = BTreeMap<String, Result<String, String>>;

    /// The machine as far as its parts are known, the parts that it asked for, and those that are known.
    /// Apart from the loader, which waits between rounds: nothing that cannot change threads may live
    /// there meanwhile.
    fn compile(
        name: &str,
        text: &str,
        read: Read,
    ) -> (Result<Machine, MachineError>, BTreeSet<String>, Read) {
        let parts = Parts {
            read,
            asked: RefCell::default(),
        };
        let machine = Machine::from_texts(name, text, &parts);
        (machine, parts.asked.into_inner(), parts.read)
    }
}
