//! Fields of a struct, for the derive macros.

use syn::{Data, DeriveInput, Error, Field, Fields, Index, Member, Result};

/// The fields of a struct with their names or numbers; `what` says for what it must be a struct.
pub fn of_struct<'a>(input: &'a DeriveInput, what: &str) -> Result<Vec<(Member, &'a Field)>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(
            input.ident.span(),
            format!("{what} is a struct: write `struct {} {{ … }}`", input.ident),
        ));
    };
    let member = |(index, field): (usize, &'a Field)| {
        let member = field
            .ident
            .clone()
            .map_or(Member::Unnamed(Index::from(index)), Member::Named);
        (member, field)
    };
    Ok(data.fields.iter().enumerate().map(member).collect())
}

/// The same for a struct whose fields have names.
pub fn with_names<'a>(input: &'a DeriveInput, what: &str) -> Result<Vec<(Member, &'a Field)>> {
    let fields = of_struct(input, what)?;
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Unnamed(_)) => Err(Error::new_spanned(
            &data.fields,
            format!("{what} has fields with names: write `{{ name: type, … }}`"),
        )),
        _ => Ok(fields),
    }
}
