//! Patterns as arguments, `fn f([x, y]: [f64; 2])`, are taken apart by a `let` at the beginning of
//! the body.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};

/// A function whose arguments all have names.
pub fn taken_apart(item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<syn::ItemFn>(item.clone()) else {
        return item;
    };
    let mut lets: Vec<syn::Stmt> = vec![];
    for (k, input) in function.sig.inputs.iter_mut().enumerate() {
        let syn::FnArg::Typed(typed) = input else {
            continue;
        };
        let mut pat = &*typed.pat;
        while let syn::Pat::Reference(reference) = pat {
            pat = &reference.pat;
        }
        let parts = matches!(
            pat,
            syn::Pat::Tuple(_)
                | syn::Pat::Slice(_)
                | syn::Pat::Struct(_)
                | syn::Pat::TupleStruct(_)
        );
        if !parts {
            continue;
        }
        // No argument of the user's has a name with two parts like this.
        let name = format_ident!("argument_{}", k);
        lets.push(syn::parse_quote!(let #pat = #name;));
        *typed.pat = syn::parse_quote!(#name);
    }
    if lets.is_empty() {
        return item;
    }
    function.block.stmts.splice(0..0, lets);
    function.into_token_stream()
}

#[cfg(test)]
mod tests {
    use super::taken_apart;
    use quote::quote;

    #[test]
    fn patterns_become_names() {
        let item = quote!(
            fn f([x, y]: [f64; 2], n: usize, &(a, _): &(f64, f64)) -> f64 {
                x * y + a
            }
        );
        let out = quote!(
            fn f(argument_0: [f64; 2], n: usize, argument_2: &(f64, f64)) -> f64 {
                let [x, y] = argument_0;
                let (a, _) = argument_2;
                x * y + a
            }
        );
        assert_eq!(taken_apart(item).to_string(), out.to_string());
    }
}
