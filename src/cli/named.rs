//! Options whose values are named by the library, so that names and help are in one place.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser of the names of some values: `told` gives the name of one, and what it is.
pub fn named<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    told: fn(T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(move |value| {
        let (name, what) = told(*value);
        PossibleValue::new(name).help(what)
    });
    PossibleValuesParser::new(values).try_map(move |name| {
        let mut all = all.iter().copied();
        all.find(|value| told(*value).0 == name)
            .ok_or("there is no such value")
    })
}
