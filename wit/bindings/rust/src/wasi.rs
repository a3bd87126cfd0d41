//! WASI 0.2.12, for what std does not offer. Only `execute` may call any of it.
//!
//! Natively every function of it panics: keep calls where tests do not go.

/// What `std::fs` opens, by itself: which directories are granted, and what lies in them.
#[cfg(feature = "filesystem")]
pub mod filesystem {
    pub use crate::bindings::filesystem::wasi::filesystem::{preopens, types};
}

/// Requests. The host sends what is granted, and fails the rest with `HttpRequestDenied`.
#[cfg(feature = "http")]
pub mod http {
    pub use crate::bindings::http::wasi::http::{outgoing_handler, types};
    /// What a body is read from.
    pub use crate::bindings::http::wasi::io::streams;
}
