"""fastmcp: what most servers and agents in Python are written with."""

from contextlib import asynccontextmanager

import anyio
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

import steps


class Probe:
    def __init__(self, client):
        self.client, self.protocol = client, getattr(client, "protocol_version", None)

    async def list(self):
        return [tool.name for tool in await self.client.list_tools()]

    async def call(self, name, args, progress=None):
        # Not the raw result: this one makes Python objects of the value by the output schema, and fails if it cannot.
        result = await self.client.call_tool(name, args, progress_handler=progress, raise_on_error=False)
        wire = {"content": [steps.wire(block) for block in result.content], "isError": result.is_error}
        if result.structured_content is not None:
            wire["structuredContent"] = result.structured_content
        return wire | {"_meta": result.meta}


@asynccontextmanager
async def connect(plan):
    stdio = plan.get("stdio")
    async with Client(StdioTransport(command=stdio[0], args=stdio[1:]) if stdio else plan["http"]) as client:
        yield Probe(client)


anyio.run(steps.run, connect)
