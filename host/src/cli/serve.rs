//! `fumehood serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use fumehood::mcp::http::{Access, PATH, Service, Token};
use fumehood::mcp::{Catalog, Server, Shelf, ShelfNews, Stdio, http, watch};
use fumehood::{CancellationToken, SessionRules, Severity};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::exit::Exit;
use super::host::{EngineArgs, GrantArgs, LockArgs};
use super::mounts::MountArgs;
use super::screen;
use super::session::SessionArgs;
use super::token::read_token;

/// Serve tools to clients that speak the Model Context Protocol.
///
/// Over standard input and output, for a client that starts this command; or over HTTP. A directory's `*.wasm` are served,
/// and looked at again whenever they change; a file that cannot be used costs only its own tools. A component is compiled
/// when one of its tools is first called. Each gets what the policy grants it, and nothing else.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood serve tools/ --policy policy.toml
  fumehood serve files.wasm --mount .
  fumehood serve tools/ --lock fumehood.lock --http 127.0.0.1:8000
  fumehood serve tools/ --policy policy.toml --review redact-secrets.wasm --log session.jsonl
  fumehood serve tools/ --http 0.0.0.0:8000 --token-file token --allow-host tools.example.com

Exit status:
  0 the client left, or the server was told to stop   2 wrong usage   70 the host failed")]
pub(super) struct Args {
    /// Tool components, and directories of them
    #[arg(value_name = "DIR|TOOL.wasm", required_unless_present = "mount_server")]
    places: Vec<PathBuf>,
    /// Serve HTTP at this address, path /mcp, instead of standard input and output
    #[arg(long, value_name = "ADDR:PORT")]
    http: Option<SocketAddr>,
    /// Ask of every request the bearer token in this file
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Answer requests for this host name too. Repeatable
    #[arg(long, value_name = "HOST[:PORT]", requires = "http")]
    allow_host: Vec<String>,
    /// Let web pages of this origin call, for example https://app.example.com. Repeatable
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Compile every component now, and not when it is first called
    #[arg(long)]
    preload: bool,
    /// Also print what is served, and where a manifest and the policy differ
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    grants: GrantArgs,
    #[command(flatten)]
    mounts: MountArgs,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    lock: LockArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

/// How long the calls of a client that left may take to come to their end. They are cancelled: a disk is what they wait for.
const CLOSING: Duration = Duration::from_secs(5);

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    let stop = stop_on_signals()?;
    check_reach(&args)?;
    // A place that is not there at the start is a slip of the hand; one that goes later is news.
    for place in &args.places {
        place.metadata().with_context(|| place.display().to_string())?;
    }
    if args.lock.is_set() && args.mounts.any() {
        return Err(Exit::usage(
            "--lock runs what it approves and nothing else, and a mounted server cannot be approved: leave one of the two out",
        ));
    }
    // Before anything takes time: a second server on the port should say so at once.
    let listener = match args.http {
        Some(address) => Some(http::listen(address).await.with_context(|| format!("cannot listen at {address}"))?),
        None => None,
    };
    let access = access(&args, listener.as_ref())?;
    let mut host = args.session.guarded(args.lock.lock(args.engine.host()?)?);
    for place in &args.places {
        host = host.keeping_away(place, "what is served");
    }
    if let Some(path) = &args.token_file {
        host = host.keeping_away(path, "the token file");
    }
    for path in args.mounts.files() {
        host = host.keeping_away(path, "a file of a mounted server");
    }
    let (policy, verbose) = (args.grants.policy()?, args.verbose);
    // Nobody sits at a server's terminal: what a policy asks about is denied.
    let session = match args.session.any() {
        true => Some(args.session.session(&host, &policy, SessionRules::none()).await?),
        false => None,
    };
    let mounts = args.mounts.mount(&policy, verbose, &stop).await?;
    let mut shelf = Shelf::new(host, policy, args.places).beside(mounts.tools());
    let tell = move |news: &ShelfNews| told(news, verbose);
    let (registry, news) = shelf.scan().await;
    news.iter().for_each(tell);
    if args.preload {
        preload(&shelf).await;
    }
    let catalog = Catalog::new(registry);
    let server = match &session {
        Some(session) => Server::in_session(catalog.clone(), session.clone()),
        None => Server::new(catalog.clone()),
    };
    let watching = tokio::spawn(watch(shelf, catalog, stop.clone(), tell));
    tokio::spawn(async move {
        if let Ok(Err(error)) = watching.await {
            screen::error(&format!("changes of files go unnoticed from here on: {error}"));
        }
    });
    let served = match listener {
        Some(listener) => over_http(server, listener, access, stop).await,
        None => over_stdio(server, stop).await,
    };
    if let Some(session) = session {
        session.close(CLOSING).await;
    }
    mounts.close().await;
    served.map(|()| ExitCode::SUCCESS)
}

async fn over_http(server: Server, listener: TcpListener, access: Access, stop: CancellationToken) -> Result<(), Exit> {
    let address = listener.local_addr().context("the listener has no address")?;
    screen::note(&format!("serving http://{address}{PATH}"));
    let streams = CancellationToken::new();
    let service = Service::new(server, access, streams.clone());
    http::serve(listener, service, stop).await;
    streams.cancel();
    Ok(())
}

async fn over_stdio(server: Server, stop: CancellationToken) -> Result<(), Exit> {
    let stdio = Stdio::new().context("standard input and output cannot be used")?;
    let served = server.serve(stdio, stop).await;
    served.map_err(|error| Exit::usage(format!("the client cannot be served: {error}")))
}

/// The first signal lets what runs end, the second does not.
fn stop_on_signals() -> anyhow::Result<CancellationToken> {
    let stop = CancellationToken::new();
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let (mut signals, stop) = (signal(kind).context("cannot hear signals")?, stop.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if stop.is_cancelled() {
                    std::process::exit(130);
                }
                stop.cancel();
            }
        });
    }
    Ok(stop)
}

/// An address that other machines reach needs a token.
fn check_reach(args: &Args) -> Result<(), Exit> {
    match args.http {
        Some(address) if !address.ip().is_loopback() && args.token_file.is_none() => Err(Exit::usage(format!(
            "{address} can be reached from other machines, and whoever reaches it could call the tools: \
             ask for a token (--token-file FILE), or serve 127.0.0.1 only"
        ))),
        _ => Ok(()),
    }
}

/// Who may talk to the server.
fn access(args: &Args, listener: Option<&TcpListener>) -> anyhow::Result<Access> {
    let address = listener.map(TcpListener::local_addr).transpose().context("the listener has no address")?;
    let local = address.filter(|address| address.ip().is_loopback());
    let mut access = local.map_or_else(Access::local, |address| Access::local_at(address.port()));
    access.hosts.extend(args.allow_host.iter().cloned());
    access.origins.extend(args.allow_origin.iter().cloned());
    if let Some(path) = &args.token_file {
        let token = read_token(path).and_then(|text| Ok(Token::new(&text)?));
        access.token = Some(token.with_context(|| path.display().to_string())?);
    }
    Ok(access)
}

async fn preload(shelf: &Shelf) {
    let total = shelf.listed().count();
    for (index, (path, deferred)) in shelf.listed().enumerate() {
        let done = index + 1;
        match deferred.load().await {
            Ok(_) => screen::note(&format!("{done}/{total} {}: ready", path.display())),
            Err(error) => screen::error(&format!("{done}/{total} {}: {error}", path.display())),
        }
    }
}

fn told(news: &ShelfNews, verbose: bool) {
    match news {
        ShelfNews::Served { path, findings, .. } if verbose => {
            screen::note(&news.to_string());
            for finding in findings {
                screen::note(&format!("{}: {finding}", path.display()));
            }
        }
        ShelfNews::Served { path, findings, .. } => {
            for finding in findings.iter().filter(|finding| finding.severity == Severity::Warning) {
                screen::note(&format!("{}: {finding}", path.display()));
            }
        }
        ShelfNews::Gone { .. } => screen::note(&news.to_string()),
        _ => screen::error(&news.to_string()),
    }
}
