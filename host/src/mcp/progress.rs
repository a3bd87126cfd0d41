//! A guest's progress as notifications, in order and only while its call runs.

use std::pin::pin;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::mpsc;

use crate::{Call, Outcome, Progress};

/// How many notes wait to be sent. A guest that is faster loses the ones after: progress is for people.
const WAITING: usize = 64;

/// Run a call and tell the client of its progress. No notification leaves after this returns.
pub(super) async fn reporting<F: Future<Output = Outcome>>(
    call: Call,
    run: impl FnOnce(Call) -> F,
    peer: &Peer<RoleServer>,
    token: ProgressToken,
) -> Outcome {
    let (tx, mut rx) = mpsc::channel(WAITING);
    let call = call.on_progress(Arc::new(move |progress: Progress| {
        let _ = tx.try_send(progress);
    }));
    let mut running = pin!(run(call));
    let mut told = Rising::default();
    loop {
        tokio::select! {
            biased;
            Some(progress) = rx.recv() => {
                if let Some(param) = told.next(progress, &token) {
                    let _ = peer.notify_progress(param).await;
                }
            }
            outcome = &mut running => {
                while let Ok(progress) = rx.try_recv() {
                    if let Some(param) = told.next(progress, &token) {
                        let _ = peer.notify_progress(param).await;
                    }
                }
                return outcome;
            }
        }
    }
}

/// The protocol wants each value higher than the one before.
#[derive(Default)]
struct Rising(Option<f64>);

impl Rising {
    fn next(&mut self, progress: Progress, token: &ProgressToken) -> Option<ProgressNotificationParam> {
        // As the client reads it: two counts beyond 2^53 may be one number there.
        let done = progress.done as f64;
        if self.0.is_some_and(|last| done <= last) {
            return None;
        }
        self.0 = Some(done);
        let mut param = ProgressNotificationParam::new(token.clone(), done);
        param.total = progress.total.map(|total| total as f64);
        param.message = progress.message;
        Some(param)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_higher_is_told() {
        let token = ProgressToken(rmcp::model::NumberOrString::Number(1));
        let mut told = Rising::default();
        let mut next =
            |done| told.next(Progress { done, total: Some(9), message: None }, &token).map(|param| param.progress);
        let told = [next(0), next(0), next(2), next(1), next(1 << 53), next((1 << 53) + 1)];
        assert_eq!(told, [Some(0.0), None, Some(2.0), None, Some(9_007_199_254_740_992.0), None]);
    }
}
