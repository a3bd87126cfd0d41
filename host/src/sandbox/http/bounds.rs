//! How much one call may send, take in and wait for.

use std::time::Duration;

use crate::policy::LimitName;

/// How much HTTP one call gets. A policy changes the number of requests alone; a call's wall clock ends all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct HttpBounds {
    pub(super) request_headers: usize,
    pub(super) request_header_bytes: usize,
    pub(super) request_body_bytes: u64,
    pub(super) response_headers: usize,
    pub(super) response_header_bytes: usize,
    pub(super) response_body_bytes: u64,
    pub(super) times: Times,
    pub(super) concurrent: usize,
    pub(super) requests: u64,
}

impl HttpBounds {
    pub(super) const STANDARD: Self = Self {
        // Servers take a hundred: Apache's LimitRequestFields.
        request_headers: 100,
        // Twice what nginx and Apache take in all by default, so that theirs is the answer, not ours.
        request_header_bytes: 16 << 10,
        // What one call into the host may carry, four times over.
        request_body_bytes: 64 << 20,
        response_headers: 128,
        // Chromium's bound is 256 KiB; a page with a long list of cookies and policies has some 20.
        response_header_bytes: 64 << 10,
        // A quarter of a call's memory: a guest that keeps more of it runs into that limit first.
        response_body_bytes: 64 << 20,
        times: Times {
            // TCP sends its first packet again after 1, 3 and 7 seconds (RFC 6298): room for three lost ones.
            connect: Duration::from_secs(10),
            // A slow API's answer, as long as proxies wait: nginx's proxy_read_timeout.
            first_byte: Duration::from_secs(60),
            between_bytes: Duration::from_secs(30),
        },
        // Six per host are what browsers open; two hosts' worth, and a few.
        concurrent: 16,
        requests: LimitName::HttpRequests.standard(),
    };
}

/// The shortest time that a guest may set for finding a host and connecting to it. A connection's first packet is sent
/// again after a second (RFC 6298): less is no attempt, and would begin look-ups in order to leave them behind.
pub(super) const LEAST_CONNECT: Duration = Duration::from_secs(1);

/// How long each step may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) connect: Duration,
    pub(super) first_byte: Duration,
    pub(super) between_bytes: Duration,
}

/// Room for the header map's own structures in the bound that wasi-http keeps, which counts them too.
pub(in crate::sandbox) const FIELD_BYTES: usize = HttpBounds::STANDARD.request_header_bytes + 100 * 64;

/// What a guest may write of a body before it is sent on. Two such parts are kept for each body, sent or not, and a guest
/// may hold some hundreds of bodies: with the megabyte that wasi-http takes, they would hold gigabytes of the host's.
pub(super) const OUTGOING_PART_BYTES: usize = 64 << 10;
