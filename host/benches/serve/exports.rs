//! A server with nothing of a host but its instances: the three exports of a component on bare wasmtime, each in a fresh one,
//! and no gate. What a host adds to that is its own; what this takes, every host pays that gives each export an instance.

use std::path::Path;
use std::sync::Arc;

use fumehood::mcp::Stdio;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;

use crate::bare::bindings::exports::fumehood::tool::tool::ContentBlock as Rendered;
use crate::bare::{Bare, engine};

#[derive(Clone)]
struct Exports(Arc<Bare>);

impl ServerHandler for Exports {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, args) = (&params.name, Value::Object(params.arguments.unwrap_or_default()).to_string());
        let (value, content, card) = self.0.sparing(name, &args).await;
        drop(card);
        let content = content.into_iter().map(|block| match block {
            Rendered::Text(text) => ContentBlock::text(text.text),
            other => panic!("{other:?}"),
        });
        let mut result = CallToolResult::success(content.collect());
        result.structured_content = Some(serde_json::from_str(&value).unwrap());
        Ok(result.into())
    }
}

/// Serve standard input and output until the client leaves.
pub(crate) fn serve(component: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let engine = crate::bare::engine(engine::Bounds::Explicit);
    let _ticking = engine.ticking();
    let exports = Exports(Arc::new(Bare::load(engine.wasmtime(), component)));
    runtime.block_on(async {
        let running = exports.serve(Stdio::new().unwrap()).await.unwrap();
        running.waiting().await.unwrap();
    });
}
