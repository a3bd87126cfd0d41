"""mcp, version 1."""

from contextlib import asynccontextmanager

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ServerNotification, ToolListChangedNotification

import steps


class Probe:
    heard = 0  # Changes.

    def changes(self):
        return self.heard

    async def hear(self, message):
        if isinstance(message, ServerNotification) and isinstance(message.root, ToolListChangedNotification):
            self.heard += 1

    async def list(self):
        tools, cursor = [], None
        while True:
            page = await self.session.list_tools(cursor)
            tools += [tool.name for tool in page.tools]
            cursor = page.nextCursor
            if not cursor:
                return tools

    async def call(self, name, args, progress=None):
        return steps.wire(await self.session.call_tool(name, args, progress_callback=progress))


@asynccontextmanager
async def connect(plan):
    stdio = plan.get("stdio")
    transport = (
        stdio_client(StdioServerParameters(command=stdio[0], args=stdio[1:]))
        if stdio
        else streamable_http_client(plan["http"])
    )
    probe = Probe()
    async with transport as streams, ClientSession(*streams[:2], message_handler=probe.hear) as session:
        probe.session = session
        probe.protocol = (await session.initialize()).protocolVersion
        yield probe


anyio.run(steps.run, connect)
