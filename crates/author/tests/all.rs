//! Reading, writing and building machines: one program, one module per subject.

mod builder;
mod builder_fields;
mod builder_moves;
mod format;
mod format_ids;
mod parts;
mod render;
mod text_bad_input;
mod text_coverage;
mod text_flat;
mod text_full;
mod text_fuzz;
mod text_schema;
mod text_shape;
