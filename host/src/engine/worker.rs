//! The compile worker: a process that turns one component into native code and ends.

use std::{
    io::{self, Read, Write},
    process::{ExitCode, exit},
    thread,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{
    compile::{LocalError, Tier, local},
    config::{Recipe, code_identity},
    protocol::{Answer, Request, Status},
};

/// The first argument that makes a program a worker. The second says which.
pub(crate) const WORKER: &str = "fumehood-worker";
/// The second argument that makes it a compile worker.
pub(crate) const COMPILE: &str = "compile";

/// Files a worker may have open: its three streams, and what the standard library and rayon look at to count cores.
const OPEN_FILES: u64 = 32;

/// The whole of a compile worker. Reads a request and the component from standard input, writes an answer to standard output. Before it looks at the
/// component it bounds itself: processor time, address space, open files, no core dump, no file of any size. It ends
/// when its standard input does, and so with its host, however that ends.
pub(crate) fn compile() -> ExitCode {
    // Errors here mean that the host is gone or is no host: nobody to tell but the exit status.
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_streams) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let mut input = io::stdin();
    let mut header = [0; Request::BYTES];
    input.read_exact(&mut header)?;
    let Some(request) = Request::decode(&header) else {
        return answer(Status::BadRequest, b"the request is not of this version");
    };
    if let Err(errno) = bound_this_process(request.cpu_seconds, request.address_space_bytes) {
        return answer(Status::BadRequest, format!("cannot set limits: {errno}").as_bytes());
    }
    let mut wasm = Vec::new();
    input.take(request.wasm_bytes).read_to_end(&mut wasm)?;
    if wasm.len() as u64 != request.wasm_bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // A parent-death signal would follow the thread that started us, not the process, and runtimes end threads.
    thread::Builder::new().name("host-watch".into()).spawn(|| {
        let _end_or_noise = io::stdin().read(&mut [0]);
        exit(1)
    })?;
    let (status, body) = work(&request, &wasm);
    answer(status, &body)
}

fn work(request: &Request, wasm: &[u8]) -> (Status, Vec<u8>) {
    let reference = Recipe { tier: Tier::Optimised, ..request.recipe };
    match reference.compiler() {
        Ok(engine) if code_identity(&engine) == request.identity => {}
        Ok(_) => {
            let mine = concat!("it is of version ", env!("CARGO_PKG_VERSION"), ", or of other settings or processor");
            return (Status::OtherVersion, mine.into());
        }
        Err(error) => return (Status::OtherVersion, format!("{error:#}").into()),
    }
    match local(request.recipe, wasm) {
        Ok(artifact) => (Status::Compiled, artifact),
        Err(LocalError::Refused(reason)) => (Status::Refused, reason.into()),
        Err(LocalError::OutOfMemory(reason)) => (Status::OutOfMemory, reason.into()),
        Err(LocalError::Panicked(message)) => (Status::Panicked, message.into()),
    }
}

fn answer(status: Status, body: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(&Answer { status, body_bytes: body.len() as u64 }.encode())?;
    output.write_all(body)?;
    output.flush()
}

/// Bounds a worker for good: what it may use, and no file of any size, no core dump.
pub(crate) fn bound_this_process(cpu_seconds: u64, address_space_bytes: u64) -> rustix::io::Result<()> {
    // The soft limit sends SIGXCPU, which says what happened; the hard one, a second later, SIGKILL.
    bound(Resource::Cpu, cpu_seconds, cpu_seconds.saturating_add(1))?;
    bound(Resource::As, address_space_bytes, address_space_bytes)?;
    bound(Resource::Nofile, OPEN_FILES, OPEN_FILES)?;
    bound(Resource::Fsize, 0, 0)?;
    bound(Resource::Core, 0, 0)
}

/// Sets a limit, or leaves a lower one that was inherited.
fn bound(resource: Resource, soft: u64, hard: u64) -> rustix::io::Result<()> {
    let inherited = getrlimit(resource);
    let lower = |wanted: u64, inherited: Option<u64>| inherited.map_or(wanted, |inherited| inherited.min(wanted));
    let hard = lower(hard, inherited.maximum);
    let soft = lower(soft, inherited.current).min(hard);
    setrlimit(resource, Rlimit { current: Some(soft), maximum: Some(hard) })
}

#[cfg(test)]
mod tests {
    use super::{super::settings::Bounds, *};

    #[test]
    fn a_host_of_another_version_gets_no_code() {
        let recipe = Recipe { bounds: Bounds::Explicit, frugal: false, tier: Tier::Plain };
        let wasm = wat::parse_str("(component)").unwrap();
        let identity = code_identity(&Recipe { tier: Tier::Optimised, ..recipe }.compiler().unwrap());
        let request = Request { recipe, identity, cpu_seconds: 1, address_space_bytes: 1, wasm_bytes: 0 };
        assert_eq!(work(&request, &wasm).0, Status::Compiled);
        assert_eq!(work(&request, b"(component)").0, Status::Refused);
        assert_eq!(work(&Request { identity: [0; 32], ..request }, &wasm).0, Status::OtherVersion);
    }
}
