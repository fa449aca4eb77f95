//! Instructions of expressions (CODE-4).
