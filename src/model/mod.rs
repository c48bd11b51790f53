//! Models: text to trees (`text`, `dve`), trees to programs (`program`).

pub mod dve;
mod loaded;
pub mod program;
pub mod text;

pub use loaded::Loaded;
