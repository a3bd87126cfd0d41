// @modelcontextprotocol/client, version 2: it asks for the newest revision first, and checks results as 2020-12.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { change, http, listen, run, stdio } from './steps.mjs';

await run(async () => {
  let changes = 0;
  const onChanged = error => { if (!error) changes += 1; };
  const client = new Client(
    { name: 'probe', version: '1' },
    { versionNegotiation: { mode: 'auto' }, ...(change && { listChanged: { tools: { onChanged } } }) },
  );
  const transport = stdio
    ? new StdioClientTransport({ command: stdio[0], args: stdio.slice(1), stderr: 'ignore' })
    : new StreamableHTTPClientTransport(new URL(http));
  await client.connect(transport);
  listen(transport);
  return {
    protocol: client.getNegotiatedProtocolVersion(),
    changes: () => changes,
    list: async () => (await client.listTools()).tools.map(tool => tool.name),
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
});
