//! Options of `#[functions(…)]`.

use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, Result, Token, Type, parse_quote};

/// `board = Body, context = World`.
#[derive(Default)]
pub struct Options {
    /// Whose functions they are; for modules.
    pub board: Option<Type>,
    context: Option<Type>,
}

impl Options {
    /// What the functions see of the world; nothing if not given.
    pub fn context(&self) -> Type {
        self.context.clone().unwrap_or_else(|| parse_quote!(()))
    }
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut options = Self::default();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let value = match name.to_string().as_str() {
                "board" => &mut options.board,
                "context" => &mut options.context,
                _ => {
                    return Err(Error::new(
                        name.span(),
                        "`functions` knows `context = World` and `board = Body`",
                    ));
                }
            };
            input.parse::<Token![=]>()?;
            if value.replace(input.parse()?).is_some() {
                return Err(Error::new(name.span(), format!("`{name}` is given twice")));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}
