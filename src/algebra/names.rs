//! Names for certificates made from any text: such as files could have, each given once.

use crate::kernel::{is_name, is_title};

/// A name of a letter; `is_free` says whether nothing else has it.
pub fn letter(text: &str, is_free: impl FnMut(&str) -> bool) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    numbered(text.chars().map(plain).collect(), "_", is_name, is_free)
}

/// A name of a statement; `is_free` says whether nothing else has it.
pub fn title(text: &str, is_free: impl FnMut(&str) -> bool) -> String {
    if is_title(text) {
        return numbered(text.to_string(), ".", is_title, is_free);
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    numbered(text.chars().map(plain).collect(), ".", is_title, is_free)
}

fn numbered(
    mut base: String,
    sign: &str,
    is_one: fn(&str) -> bool,
    mut is_free: impl FnMut(&str) -> bool,
) -> String {
    if !is_one(&base) {
        base.insert_str(0, "x_");
    }
    let mut name = base.clone();
    let mut n = 1;
    while !is_free(&name) {
        n += 1;
        name = format!("{base}{sign}{n}");
    }
    name
}
