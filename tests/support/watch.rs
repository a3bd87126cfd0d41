//! Hears what a reviewer says.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use fumehood::{ComponentReviewer, Draft, ReviewError, Reviewer, Verdict};

pub(crate) type Said = Arc<Mutex<Vec<Result<Verdict, ReviewError>>>>;

/// Passes on what a reviewer says, and keeps it.
pub(crate) struct Watch(ComponentReviewer, Said);

impl Watch {
    pub(crate) fn over(reviewer: ComponentReviewer) -> (Arc<Self>, Said) {
        let said = Said::default();
        (Arc::new(Self(reviewer, said.clone())), said)
    }
}

impl Reviewer for Watch {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn review<'a>(
        &'a self,
        draft: Draft<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Verdict, ReviewError>> + Send + 'a>> {
        Box::pin(async move {
            let said = self.0.review(draft).await;
            self.1.lock().expect("nobody panics with it").push(said.clone());
            said
        })
    }
}
