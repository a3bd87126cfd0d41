//! What `execute` has of its call, and the projectors have not.

/// One call, as `execute` sees it.
#[derive(Debug)]
pub struct Context {
    #[cfg(not(target_family = "wasm"))]
    pub(crate) heard: std::cell::RefCell<Vec<crate::testing::Progress>>,
}

impl Context {
    // The only way to one inside a component: no projector is handed what comes of it.
    #[cfg(target_family = "wasm")]
    pub(crate) const fn new() -> Self {
        Self {}
    }

    /// Say how far the call has come. `done` and `total` count the same things, whatever they are; `done` must not fall.
    /// Cheap enough for every file of a thousand: the host passes on what its client can take.
    pub fn progress(&self, done: u64, total: Option<u64>, message: Option<&str>) {
        #[cfg(target_family = "wasm")]
        crate::bindings::fumehood::tool::progress::report(done, total, message);
        #[cfg(not(target_family = "wasm"))]
        self.heard.borrow_mut().push(crate::testing::Progress { done, total, message: message.map(str::to_owned) });
    }
}
