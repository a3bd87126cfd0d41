//! A component is made of tools.

component!(String);

fn main() {}
