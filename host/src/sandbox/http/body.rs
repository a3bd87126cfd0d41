//! Bodies that end at a bound, both ways.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::Sleep;
use wasmtime_wasi_http::{Error, WasiBody};

use super::dial::from_hyper;
use super::scrub::Scrub;
use super::secret::LoadedSecret;

/// What a guest sends: no more than the bound, exactly what its `content-length` says, and no trailers.
pub(super) struct RequestBody {
    inner: WasiBody,
    bound: u64,
    sent: u64,
    declared: Option<u64>,
    over: bool,
}

impl RequestBody {
    pub(super) fn new(inner: WasiBody, bound: u64, declared: Option<u64>) -> Self {
        Self { inner, bound, sent: 0, declared, over: false }
    }

    fn count(&mut self, bytes: usize) -> Result<(), Error> {
        self.sent = self.sent.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        if self.sent > self.declared.unwrap_or(u64::MAX).min(self.bound) {
            return Err(Error::HttpRequestBodySize(Some(self.sent)));
        }
        Ok(())
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        while !self.over {
            match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                Some(Ok(frame)) => {
                    // Trailers are announced in a header that a guest may not set, and so are never sent.
                    let Ok(data) = frame.into_data() else { continue };
                    return Poll::Ready(Some(self.count(data.len()).map(|()| Frame::data(data))));
                }
                Some(Err(error)) => {
                    self.over = true;
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    self.over = true;
                    if self.declared.is_some_and(|declared| declared != self.sent) {
                        return Poll::Ready(Some(Err(Error::HttpRequestBodySize(Some(self.sent)))));
                    }
                }
            }
        }
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        // One that is too short has an error to come.
        self.over || (self.inner.is_end_stream() && self.declared.is_none_or(|declared| declared == self.sent))
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// What a server sends: no more than the bound, no pause longer than the bound, no secret that went out.
pub(super) struct ResponseBody {
    inner: Incoming,
    left: u64,
    bound: u64,
    pause: Duration,
    /// Runs while the server is waited for. It starts when there is nothing to read, not when a guest comes to read.
    waiting: Option<Pin<Box<Sleep>>>,
    scrubs: Vec<Scrub>,
    ready: VecDeque<Frame<Bytes>>,
    over: bool,
}

impl ResponseBody {
    pub(super) fn new(inner: Incoming, bound: u64, pause: Duration, secrets: &[&LoadedSecret]) -> Result<Self, Error> {
        if inner.size_hint().lower() > bound {
            return Err(Error::HttpResponseBodySize(Some(inner.size_hint().lower())));
        }
        let scrubs = secrets.iter().map(|secret| Scrub::new(secret.needles().clone())).collect();
        Ok(Self { inner, left: bound, bound, pause, waiting: None, scrubs, ready: VecDeque::new(), over: false })
    }

    fn poll_inner(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            self.waiting = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(|error| from_hyper(&error))));
        }
        let pause = self.pause;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(pause)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Some(Err(Error::ConnectionReadTimeout)))
    }

    fn take(&mut self, frame: Frame<Bytes>) -> Result<(), Error> {
        match frame.into_data() {
            Ok(data) => {
                let length = u64::try_from(data.len()).unwrap_or(u64::MAX);
                self.left = self.left.checked_sub(length).ok_or(Error::HttpResponseBodySize(Some(self.bound)))?;
                let data = match self.scrubs.as_mut_slice() {
                    [] => data,
                    scrubs => scrubs.iter_mut().fold(data, |data, scrub| scrub.push(&data).into()),
                };
                if !data.is_empty() {
                    self.ready.push_back(Frame::data(data));
                }
            }
            Err(frame) => {
                self.finish();
                if let Ok(mut trailers) = frame.into_trailers() {
                    self.mask(&mut trailers);
                    self.ready.push_back(Frame::trailers(trailers));
                }
            }
        }
        Ok(())
    }

    /// What the scrubs held back can be nothing's start any more.
    fn finish(&mut self) {
        let mut rest = Vec::new();
        for scrub in &mut self.scrubs {
            rest = scrub.push(&rest);
            rest.extend(scrub.finish());
        }
        if !rest.is_empty() {
            self.ready.push_back(Frame::data(rest.into()));
        }
        self.over = true;
    }

    fn mask(&self, trailers: &mut HeaderMap) {
        for scrub in &self.scrubs {
            super::response::mask_headers(trailers, scrub.needles());
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(frame)));
            }
            if self.over {
                return Poll::Ready(None);
            }
            let taken = match ready!(self.poll_inner(context)) {
                Some(frame) => frame.and_then(|frame| self.take(frame)),
                None => {
                    self.finish();
                    Ok(())
                }
            };
            if let Err(error) = taken {
                // What was held back of a broken body stays back.
                self.over = true;
                return Poll::Ready(Some(Err(error)));
            }
        }
    }
}
