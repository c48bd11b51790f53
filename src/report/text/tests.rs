//! Texts of synthetic reports, compared with files beside this one.
