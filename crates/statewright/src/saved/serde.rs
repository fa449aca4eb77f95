//! Types that serde describes (`#[saved(serde)]`): by name, in CBOR, with their length before them. What
//! is missing, renamed or gone is serde's affair.

use ::serde::Serialize;
use ::serde::de::DeserializeOwned;
use statewright_bytes::Writer;

use super::form::Form;

/// Writes a value. One that its own `Serialize` refuses is written as nothing, which nobody reads.
pub fn save<T: Serialize>(value: &T, bytes: &mut Vec<u8>) {
    let mut own = Vec::new();
    if ciborium::into_writer(value, &mut own).is_err() {
        own.clear();
    }
    bytes.put_u64(own.len() as u64);
    bytes.put(&own);
}

/// Reads a value, and moves the bytes on.
pub fn load<T: DeserializeOwned>(bytes: &mut &[u8]) -> Option<T> {
    let length = u64::from_le_bytes(*bytes.split_off(..8)?.first_chunk()?);
    let own = bytes.split_off(..usize::try_from(length).ok()?)?;
    ciborium::from_reader(own).ok()
}

/// What the bytes mean.
pub fn form() -> Form {
    Form::Counted("what serde wrote".into())
}
