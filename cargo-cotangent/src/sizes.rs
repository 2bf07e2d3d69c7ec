//! The lengths that `--size` gives.

use cotangent_core::ir::arguments::Given;

/// Reads `w=20x5,n=3`.
///
/// # Errors
/// If the text has another form.
pub(crate) fn read(text: &str, given: &mut Given) -> Result<(), String> {
    for entry in text.split(',') {
        let read = entry.split_once('=').and_then(|(name, lengths)| {
            let lengths: Result<_, _> = lengths.split('x').map(str::parse).collect();
            Some((name.trim().to_owned(), lengths.ok()?))
        });
        let (name, lengths) =
            read.ok_or_else(|| format!("`{entry}` is no size such as `w=20x5` or `n=3`"))?;
        given.insert(name, lengths);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_sizes_are_named() {
        let mut given = Given::new();
        for text in ["w", "w=", "w=2y3", "w=-1"] {
            let message = read(text, &mut given).err().unwrap_or_default();
            assert!(message.contains(text), "{text}: {message}");
        }
    }
}
