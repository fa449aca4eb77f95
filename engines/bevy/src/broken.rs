//! Machine files that do not load are tried again when one of their parts is saved.
//!
//! Bevy knows what a loaded asset was made of and loads it anew when a part is saved; of one that failed it
//! knows nothing. So what such a file was made of is loaded as an asset of its own, which never fails: Bevy
//! loads everything that stands for this file when a part is saved, the machine among it.

use std::collections::HashMap;

use bevy_asset::io::Reader;
use bevy_asset::{
    Asset, AssetLoadFailedEvent, AssetLoader, AssetPath, AssetServer, Handle, LoadContext,
};
use bevy_ecs::message::MessageReader;
use bevy_ecs::system::{Local, Res};
use bevy_reflect::TypePath;

use crate::asset::{MachineAsset, MachineLoadError, read_machine};

/// What a machine file is made of.
#[derive(Asset, TypePath)]
pub(crate) struct Parts;

/// Reads a file and its parts, whatever they are worth.
#[derive(Default, TypePath)]
pub(crate) struct PartsLoader;

impl AssetLoader for PartsLoader {
    type Asset = Parts;
    type Settings = ();
    type Error = MachineLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<Parts, MachineLoadError> {
        // Reading them is what counts; mistakes were told of the machine.
        let _ = read_machine(reader, context).await;
        Ok(Parts)
    }
}

/// Files that did not load. They are kept when they do: Bevy forgets what a file was made of as soon as
/// anything that stands for it is dropped.
pub(crate) fn watch_parts(
    mut failed: MessageReader<'_, '_, AssetLoadFailedEvent<MachineAsset>>,
    server: Res<'_, AssetServer>,
    mut broken: Local<'_, HashMap<AssetPath<'static>, Handle<Parts>>>,
) {
    let is_watching = server.watching_for_changes();
    let is_text = |path: &AssetPath<'_>| path.path().to_string_lossy().ends_with(".sw.json");
    for event in failed.read() {
        if is_watching && is_text(&event.path) {
            let parts = broken.entry(event.path.clone());
            parts.or_insert_with(|| server.load(event.path.clone()));
        }
    }
}
