//! One load for all who want the same component at the same time.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::OnceCell;
use wasmtime::component::Component;

use super::{compile::CodeOrigin, error::CompileError};

type Outcome = Result<(Component, CodeOrigin), CompileError>;

/// The loads under way, by digest. An entry lives as long as somebody waits for it.
pub(super) struct Flights(Mutex<HashMap<[u8; 32], Weak<OnceCell<Outcome>>>>);

impl Flights {
    pub(super) fn new() -> Self {
        Self(Mutex::new(HashMap::new()))
    }

    /// The result of `load`, or of the one that is under way for `sha256`. If that one is dropped before its end,
    /// `load` runs.
    pub(super) async fn join<F: Future<Output = Outcome>>(
        &self,
        sha256: [u8; 32],
        load: impl FnOnce() -> F,
    ) -> Outcome {
        let flight = {
            let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            flights.retain(|_, flight| flight.strong_count() > 0);
            match flights.get(&sha256).and_then(Weak::upgrade) {
                Some(flight) => flight,
                None => {
                    let flight = Arc::new(OnceCell::new());
                    flights.insert(sha256, Arc::downgrade(&flight));
                    flight
                }
            }
        };
        flight.get_or_init(load).await.clone()
    }
}
