// @modelcontextprotocol/sdk, version 1: it checks every structured result against the output schema, as draft-07.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { http, listen, run, stdio } from './steps.mjs';

await run(async () => {
  const client = new Client({ name: 'probe', version: '1' });
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => { changes += 1; });
  const transport = stdio
    ? new StdioClientTransport({ command: stdio[0], args: stdio.slice(1), stderr: 'ignore' })
    : new StreamableHTTPClientTransport(new URL(http));
  let protocol;
  const set = transport.setProtocolVersion;
  // Told over HTTP, where it becomes a header; over stdio there is no other way to learn it.
  transport.setProtocolVersion = version => {
    protocol = version;
    set?.call(transport, version);
  };
  await client.connect(transport);
  listen(transport);
  return {
    protocol,
    changes: () => changes,
    list: async () => {
      const tools = [];
      let cursor;
      do {
        const page = await client.listTools({ cursor });
        tools.push(...page.tools.map(tool => tool.name));
        cursor = page.nextCursor;
      } while (cursor);
      return tools;
    },
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    close: () => client.close(),
  };
});
