//! One server: connected to when it is needed, and again when it went away.

use std::collections::{BTreeSet, HashMap};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, timeout};

use super::list::{self, Listed, Theirs};
use super::wire::{Answer, Ask, Broken, Era, LEGACY, MODERN, OFFERED, client_info, notification, quoted};
use super::{MountError, MountName, Place, child, http, result};
use crate::{Remote, RemoteCall, RemoteError};

/// From the start of a server to its first answer. An interpreter that loads a large program takes seconds.
const CONNECT: Duration = Duration::from_secs(20);
/// A server of an older revision may say nothing to a request before the handshake.
const DISCOVER: Duration = Duration::from_secs(3);
/// For the whole list, all pages.
const LIST: Duration = Duration::from_secs(30);
/// Pages of a list, as other clients read them.
const PAGES: usize = 64;
/// Tools of one server: more than any model is offered at once.
const TOOLS: usize = 1_000;
/// Bytes of a list, all pages together: a thousand tools of a usual size are one megabyte.
const LISTED: usize = 8 << 20;
/// A server that went away is started again no sooner after its last start.
const PAUSE: Duration = Duration::from_secs(5);
/// Calls of one server at once. What is beyond waits, and its wait counts against its deadline.
const AT_ONCE: usize = 64;

/// A server and the connection to it.
pub(super) struct Client {
    name: MountName,
    place: Place,
    /// How each tool is called at the server, by what it is called here. Set once it was listed.
    theirs: OnceLock<HashMap<String, Theirs>>,
    state: Mutex<State>,
    free: Semaphore,
}

#[derive(Default)]
struct State {
    connected: Option<Arc<Connected>>,
    /// When it was last begun to connect.
    begun: Option<Instant>,
    closed: bool,
}

struct Connected {
    channel: Channel,
    era: Era,
}

enum Channel {
    Child(child::Channel),
    Http(http::Channel),
}

impl Channel {
    async fn open(name: &MountName, place: &Place) -> Result<Self, MountError> {
        Ok(match place {
            Place::Child(server) => Self::Child(child::Channel::start(name, server)?),
            Place::Http(server) => Self::Http(http::Channel::new(server.clone())),
        })
    }

    async fn ask(&self, ask: Ask) -> Result<Answer, Broken> {
        match self {
            Self::Child(channel) => channel.ask(ask).await,
            Self::Http(channel) => channel.ask(ask).await,
        }
    }

    async fn tell(&self, message: Value) -> Result<(), Broken> {
        match self {
            Self::Child(channel) => channel.tell(message).await,
            Self::Http(channel) => channel.tell(message).await,
        }
    }

    fn is_gone(&self) -> bool {
        match self {
            Self::Child(channel) => channel.is_gone(),
            Self::Http(channel) => channel.is_gone(),
        }
    }
}

impl Client {
    pub(super) fn new(name: MountName, place: Place) -> Self {
        let free = Semaphore::new(AT_ONCE);
        Self { name, place, theirs: OnceLock::new(), state: Mutex::default(), free }
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    pub(super) fn learn(&self, theirs: HashMap<String, Theirs>) {
        // A client is listed once.
        let _ = self.theirs.set(theirs);
    }

    /// End the connection, and make none any more.
    pub(super) async fn close(&self) {
        let mut state = self.state.lock().await;
        state.closed = true;
        if let Some(Channel::Child(channel)) = state.connected.take().as_deref().map(|connected| &connected.channel) {
            channel.close().await;
        }
    }

    /// All tools of the server.
    pub(super) async fn list(&self) -> Result<Listed, MountError> {
        let connected = self.connected().await?;
        let listing = async {
            let (mut tools, mut bytes, mut cursor, mut seen) = (Vec::new(), 0, None::<String>, BTreeSet::new());
            for _ in 0..PAGES {
                let mut page = connected.page(cursor.take()).await?;
                let Some(Value::Array(more)) = page.get_mut("tools").map(Value::take) else {
                    return Err(MountError::Protocol("its list has no list `tools`".to_owned()));
                };
                bytes += more.iter().map(|tool| tool.to_string().len()).sum::<usize>();
                if bytes > LISTED {
                    return Err(MountError::Protocol(format!("its list is longer than {LISTED} bytes")));
                }
                tools.extend(more);
                if tools.len() > TOOLS {
                    return Err(MountError::Protocol(format!("it lists over {TOOLS} tools")));
                }
                match page.get("nextCursor") {
                    None | Some(Value::Null) => return Ok(tools),
                    Some(Value::String(next)) if seen.insert(next.clone()) => cursor = Some(next.clone()),
                    Some(Value::String(_)) => {
                        return Err(MountError::Protocol("its list goes round in a circle".to_owned()));
                    }
                    Some(_) => return Err(MountError::Protocol("its `nextCursor` is no string".to_owned())),
                }
            }
            Err(MountError::Protocol(format!("its list has over {PAGES} pages")))
        };
        let tools = timeout(LIST, listing)
            .await
            .map_err(|_| MountError::Slow { doing: "list its tools", seconds: LIST.as_secs() })??;
        let strict = connected.era == Era::Modern && matches!(self.place, Place::Http(_));
        Ok(list::read(&self.name, self.place.origin(), &tools, strict))
    }

    /// The connection, made anew where there is none any more.
    async fn connected(&self) -> Result<Arc<Connected>, MountError> {
        let mut state = self.state.lock().await;
        if let Some(connected) = state.connected.as_ref().filter(|connected| !connected.channel.is_gone()) {
            return Ok(connected.clone());
        }
        if state.closed {
            return Err(MountError::Unavailable("this host is about to end".to_owned()));
        }
        let again = state.connected.take().is_some();
        if let Some(since) = state.begun.map(|begun| begun.elapsed()).filter(|since| *since < PAUSE) {
            let left = (PAUSE - since).as_millis();
            let message = format!("it went away, and is connected to again by a call in {left} ms or later");
            return Err(MountError::Unavailable(message));
        }
        state.begun = Some(Instant::now());
        if again {
            tracing::warn!(mounted = %self.name, "the server went away; connecting again");
        }
        let opened = timeout(CONNECT, Connected::open(&self.name, &self.place)).await;
        let opened = opened.map_err(|_| MountError::Slow { doing: "begin", seconds: CONNECT.as_secs() })??;
        let opened = Arc::new(opened);
        tracing::info!(
            mounted = %self.name, origin = %self.place.origin(), era = ?opened.era, sandboxed = false, "connected"
        );
        state.connected = Some(opened.clone());
        Ok(opened)
    }

    async fn called(&self, call: RemoteCall) -> Result<String, RemoteError> {
        let unavailable = |error: MountError| RemoteError::Unavailable(error.to_string());
        let gone = |error: tokio::sync::AcquireError| RemoteError::Unavailable(error.to_string());
        let _turn = self.free.acquire().await.map_err(gone)?;
        let Some(theirs) = self.theirs.get().and_then(|theirs| theirs.get(&call.tool)) else {
            return Err(RemoteError::Unavailable(format!("the server was not listed with a tool {:?}", call.tool)));
        };
        let connected = self.connected().await.map_err(unavailable)?;
        let mut params = Map::new();
        params.insert("name".to_owned(), theirs.name.as_str().into());
        params.insert("arguments".to_owned(), call.args.value().clone());
        let mut ask = Ask::new(connected.era, "tools/call", params);
        (ask.progress, ask.mirrored) = (call.progress, theirs.mirrored.headers(call.args.value()));
        match connected.channel.ask(ask).await {
            Ok(answer) => result::value(answer),
            Err(Broken::Malformed(why)) => Err(RemoteError::Malformed(why)),
            Err(Broken::Gone(why)) => Err(RemoteError::Unavailable(why)),
        }
    }
}

impl Remote for Client {
    fn origin(&self) -> &str {
        self.place.origin()
    }

    fn call(&self, call: RemoteCall) -> Pin<Box<dyn Future<Output = Result<String, RemoteError>> + Send + '_>> {
        Box::pin(self.called(call))
    }
}

impl Connected {
    /// In the newest revision if the server speaks it, else in an older one.
    async fn open(name: &MountName, place: &Place) -> Result<Self, MountError> {
        let channel = Channel::open(name, place).await?;
        let discover = Ask::new(Era::Modern, "server/discover", Map::new());
        let channel = match timeout(DISCOVER, channel.ask(discover)).await {
            Ok(Ok(Answer::Result(found))) if speaks_modern(&found) => return Ok(Self { channel, era: Era::Modern }),
            // Some servers of an older revision end at a request before the handshake.
            Ok(Err(Broken::Gone(_))) => Channel::open(name, place).await?,
            _ => channel,
        };
        let params = json!({ "protocolVersion": OFFERED, "capabilities": {}, "clientInfo": client_info() });
        let params = params.as_object().cloned().unwrap_or_default();
        let hello = Ask::new(Era::Legacy(OFFERED), "initialize", params);
        let answer = channel.ask(hello).await.map_err(MountError::from)?;
        let found = succeeded("initialize", answer)?;
        let version = found.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let Some(version) = LEGACY.into_iter().find(|known| *known == version) else {
            let version = quoted(version);
            let known = LEGACY.join(", ");
            return Err(MountError::Protocol(format!("it speaks {version:?}; {MODERN}, {known} are spoken here")));
        };
        let (era, channel) = (Era::Legacy(version), channel.speaking(version));
        channel.tell(notification("notifications/initialized", json!({}))).await.map_err(MountError::from)?;
        Ok(Self { channel, era })
    }

    async fn page(&self, cursor: Option<String>) -> Result<Value, MountError> {
        let mut params = Map::new();
        params.extend(cursor.map(|cursor| ("cursor".to_owned(), cursor.into())));
        succeeded("tools/list", self.channel.ask(Ask::new(self.era, "tools/list", params)).await?)
    }
}

impl Channel {
    fn speaking(self, version: &'static str) -> Self {
        match self {
            Self::Http(channel) => Self::Http(channel.speaking(version)),
            child @ Self::Child(_) => child,
        }
    }
}

fn speaks_modern(found: &Value) -> bool {
    found["supportedVersions"].as_array().is_some_and(|versions| versions.iter().any(|version| version == MODERN))
}

fn succeeded(method: &str, answer: Answer) -> Result<Value, MountError> {
    match answer {
        Answer::Result(result @ Value::Object(_)) => Ok(result),
        Answer::Result(_) => Err(MountError::Protocol(format!("its answer to {method} is no object"))),
        Answer::Error { code, message } => {
            Err(MountError::Protocol(format!("it answers {method} with error {code}: {message}")))
        }
    }
}

impl From<Broken> for MountError {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Malformed(why) => Self::Protocol(why),
            Broken::Gone(why) => Self::Unavailable(why),
        }
    }
}
