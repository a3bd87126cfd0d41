//! Codes are for programs.

const CODE: Code = Code::new("not found");

fn main() {}
