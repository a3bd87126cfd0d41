"""mcp, version 2: it asks for the newest revision first."""

from contextlib import asynccontextmanager

import anyio
from mcp import Client, StdioServerParameters

import steps


class Probe:
    def __init__(self, client):
        self.client, self.protocol, self.heard = client, client.protocol_version, 0

    def changes(self):
        return self.heard

    async def list(self):
        tools, cursor = [], None
        while True:
            # A list that may be stale is no answer to what changed.
            page = await self.client.list_tools(cursor=cursor, cache_mode="refresh")
            tools += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                return tools

    async def call(self, name, args, progress=None):
        return steps.wire(await self.client.call_tool(name, args, progress_callback=progress))


@asynccontextmanager
async def connect(plan):
    stdio = plan.get("stdio")
    server = StdioServerParameters(command=stdio[0], args=stdio[1:]) if stdio else plan["http"]
    async with Client(server) as client:
        probe = Probe(client)
        if "change" not in plan:
            yield probe
            return
        async with client.listen(tools_list_changed=True) as changes, anyio.create_task_group() as group:
            async def hear():
                async for _ in changes:
                    probe.heard += 1

            group.start_soon(hear)
            yield probe
            group.cancel_scope.cancel()


anyio.run(lambda: steps.run(connect, cancels=True))
