//! Counts what one export call uses, and stops it at its limits.

use wasmtime::ResourceLimiter;

use crate::policy::{LimitName, Limits, Origin, Usage};

/// A limit that a guest tried to pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{limit}: {asked} {} wanted, {max} allowed ({origin})", .limit.unit())]
pub(crate) struct Exceeded {
    pub(crate) limit: LimitName,
    /// What the guest wanted in all. Where nobody counted on, the first number past the limit.
    pub(crate) asked: u64,
    pub(crate) max: u64,
    pub(crate) origin: Origin,
}

impl Exceeded {
    pub(crate) fn new(limits: &Limits, limit: LimitName, asked: u64) -> Self {
        let bound = limits.get(limit);
        Self { limit, asked, max: bound.value, origin: bound.origin }
    }
}

/// The counters of one store.
pub(super) struct Meter {
    limits: Limits,
    memory: u64,
    table_elements: u64,
    host_calls: u64,
    http_requests: u64,
    process_runs: u64,
    /// The call that returns next is the engine's own, made for a yield.
    yielding: bool,
}

impl Meter {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, memory: 0, table_elements: 0, host_calls: 0, http_requests: 0, process_runs: 0, yielding: false }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What follows is a yield at a tick of the clock. It passes through the same gate as a call into the host, and
    /// how many there are depends on the machine: counted, a slow one would reach a limit that a fast one does not.
    pub(super) fn forgive_yield(&mut self) {
        self.yielding = true;
    }

    /// A call into the host has returned. The one past the limit is the guest's last.
    pub(super) fn count_host_call(&mut self) -> Result<(), Exceeded> {
        if std::mem::take(&mut self.yielding) {
            return Ok(());
        }
        self.host_calls += 1;
        self.within(LimitName::HostCalls, self.host_calls)
    }

    /// So many requests were made. The one past the limit was not sent.
    pub(super) fn requests_made(&mut self, made: u64) -> Result<(), Exceeded> {
        self.within(LimitName::HttpRequests, made)?;
        self.http_requests = made;
        Ok(())
    }

    /// A program is about to be started.
    pub(super) fn count_process_run(&mut self) -> Result<(), Exceeded> {
        self.within(LimitName::ProcessRuns, self.process_runs + 1)?;
        self.process_runs += 1;
        Ok(())
    }

    pub(super) fn add_to(&self, usage: &mut Usage) {
        usage.at_least(LimitName::Memory, self.memory);
        usage.at_least(LimitName::TableElements, self.table_elements);
        usage.at_least(LimitName::HostCalls, self.host_calls);
        usage.at_least(LimitName::HttpRequests, self.http_requests);
        usage.at_least(LimitName::ProcessRuns, self.process_runs);
    }

    fn within(&self, limit: LimitName, wanted: u64) -> Result<(), Exceeded> {
        if wanted <= self.limits.value(limit) { Ok(()) } else { Err(Exceeded::new(&self.limits, limit, wanted)) }
    }
}

/// Sums over all memories and all tables: wasmtime's own limits hold for each of them alone, so fifty memories
/// would have fifty times the limit. Past a limit the guest traps; it never sees a failed `memory.grow` that
/// another machine would have granted. Growth past what the guest itself declared fails as the
/// specification says, everywhere alike.
impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let wanted = self.memory.saturating_add((desired as u64).saturating_sub(current as u64));
        self.within(LimitName::Memory, wanted)?;
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        self.memory = wanted;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        // `memory_growing` said no, which is the guest's own doing; any other reason is this machine's.
        if error.downcast_ref::<std::io::Error>().is_some() { Err(error) } else { Ok(()) }
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let wanted = self.table_elements.saturating_add((desired as u64).saturating_sub(current as u64));
        self.within(LimitName::TableElements, wanted)?;
        // With a pool, growth past its room would fail; without one it would not. A guest must not be able to tell.
        let (limit, asked) = (LimitName::TableElements, desired as u64);
        let max = crate::engine::Engine::TABLE_ELEMENTS as u64;
        if asked > max {
            return Err(Exceeded { limit, asked, max, origin: Origin::Default }.into());
        }
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        self.table_elements = wanted;
        Ok(true)
    }

    fn instances(&self) -> usize {
        usize::try_from(self.limits.value(LimitName::Instances)).unwrap_or(usize::MAX)
    }

    // Both are bounded by their contents, and by the shape limits of the artifact.
    fn memories(&self) -> usize {
        usize::MAX
    }

    fn tables(&self) -> usize {
        usize::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yield_is_no_call_of_the_guest() {
        let mut meter = Meter::new(Limits::standard().tightened(LimitName::HostCalls, 1));
        for _ in 0..3 {
            meter.forgive_yield();
            assert_eq!(meter.count_host_call(), Ok(()));
        }
        assert_eq!(meter.count_host_call(), Ok(()));
        assert_eq!(meter.count_host_call().map_err(|exceeded| exceeded.asked), Err(2));
    }
}
