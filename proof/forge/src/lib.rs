//! forge
