//! What stands in `machine!(…)`: `pub mod guard = "machines/guard.sw.json", functions = Body`.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Ident, LitBool, LitStr, Result, Token, Type, Visibility, bracketed};

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
    /// Warnings of the compiler are no warnings of the build.
    pub allows_warnings: bool,
    /// The machine is written as code, too.
    pub fused: bool,
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
        let mut found = Self {
            attributes,
            visibility,
            module,
            path,
            functions: Vec::new(),
            board: None,
            allows_warnings: false,
            fused: true,
        };
        found.options(input)?;
        Ok(found)
    }
}

impl Input {
    /// `, functions = Body` or `, functions = [Body, others::List]`, `, board = Body`,
    /// `, warnings = allow`, and `, fused = false`.
    fn options(&mut self, input: ParseStream<'_>) -> Result<()> {
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let option: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            match option.to_string().as_str() {
                "functions" => self.functions.extend(one_or_several(input)?),
                "board" => self.board = Some(input.parse()?),
                "warnings" => {
                    let word: Ident = input.parse()?;
                    if word != "allow" {
                        let text = "write `warnings = allow`, or leave it out";
                        return Err(Error::new(word.span(), text));
                    }
                    self.allows_warnings = true;
                }
                "fused" => self.fused = input.parse::<LitBool>()?.value,
                _ => {
                    let text = "`machine!` knows `functions = Body`, `board = Body`, `warnings = allow` and `fused = false`";
                    return Err(Error::new(option.span(), text));
                }
            }
        }
        Ok(())
    }
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
