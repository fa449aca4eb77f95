//! What stands in `machine!(…)`: `pub mod guard = "machines/guard.sw.json", functions = Body`.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Ident, LitStr, Result, Token, Type, Visibility, bracketed};

/// What the user wants.
pub struct Input {
    pub attributes: Vec<Attribute>,
    pub visibility: Visibility,
    pub module: Ident,
    pub path: LitStr,
    /// Types whose functions the machine may call; nothing is checked without them.
    pub functions: Vec<Type>,
    /// The blackboard; that of the first of these types if it is not said.
    pub board: Option<Type>,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(LitStr) {
            return Err(input.error("the machine needs a name: write `pub mod name = \"path\"`"));
        }
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<Token![mod]>()?;
        let module = input.parse()?;
        input.parse::<Token![=]>()?;
        let path = input.parse()?;
        let (functions, board) = options(input)?;
        Ok(Self {
            attributes,
            visibility,
            module,
            path,
            functions,
            board,
        })
    }
}

/// `, functions = Body` or `, functions = [Body, others::List]`, and `, board = Body`.
fn options(input: ParseStream<'_>) -> Result<(Vec<Type>, Option<Type>)> {
    let (mut types, mut board) = (Vec::new(), None);
    while !input.is_empty() {
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            break;
        }
        let option: Ident = input.parse()?;
        if option != "functions" && option != "board" {
            return Err(Error::new(
                option.span(),
                "`machine!` knows `functions = Body` and `board = Body`",
            ));
        }
        input.parse::<Token![=]>()?;
        if option == "board" {
            board = Some(input.parse()?);
        } else {
            types.extend(one_or_several(input)?);
        }
    }
    Ok((types, board))
}

fn one_or_several(input: ParseStream<'_>) -> Result<Vec<Type>> {
    if !input.peek(syn::token::Bracket) {
        return Ok(vec![input.parse()?]);
    }
    let list;
    bracketed!(list in input);
    Ok(Punctuated::<Type, Token![,]>::parse_terminated(&list)?
        .into_iter()
        .collect())
}
