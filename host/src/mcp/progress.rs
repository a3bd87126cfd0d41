//! A guest's progress as notifications, in order and only while its call runs.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;

use crate::{Call, Outcome, Progress};

/// How many notes wait to be sent. A guest that is faster loses the ones after: progress is for people.
const WAITING: usize = 64;
/// How long one note may take to leave. A client that reads no more, or has closed its side, is told nothing more.
const PATIENCE: Duration = Duration::from_millis(500);

/// Run a call and tell the client of its progress. The guest does not wait for the client. No note leaves after the result,
/// but one that a client has left lying for longer than [`PATIENCE`].
pub(super) async fn reporting<F: Future<Output = Outcome>>(
    call: Call,
    run: impl FnOnce(Call) -> F,
    peer: &Peer<RoleServer>,
    token: ProgressToken,
) -> Outcome {
    let (tx, mut notes) = mpsc::channel(WAITING);
    let call = call.on_progress(Arc::new(move |progress: Progress| {
        let _ = tx.try_send(progress);
    }));
    let ended = Notify::new();
    let running = async {
        let outcome = run(call).await;
        ended.notify_one();
        outcome
    };
    let telling = async {
        let mut told = Rising::default();
        loop {
            let note = tokio::select! {
                biased;
                // The call, and with it the other end, is gone when the last note is out.
                Some(note) = notes.recv() => note,
                () = ended.notified() => return,
            };
            let Some(param) = told.next(note, &token) else { continue };
            match timeout(PATIENCE, peer.notify_progress(param)).await {
                Ok(Ok(())) => {}
                _ => return,
            }
        }
    };
    tokio::join!(running, telling).0
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
