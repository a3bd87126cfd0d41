// What every TypeScript client does: list, call, hear of progress and changes, cancel. The first argument is the plan.
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
export const { stdio, http, change } = plan;

// A client that hangs is a failure, and the reader of the report should have what came before.
const report = { calls: {} };
const finish = status => process.stdout.write(JSON.stringify(report) + '\n', () => process.exit(status));
setTimeout(() => { report.hung = true; finish(1); }, plan.seconds * 1000).unref();

const pause = () => new Promise(resolve => setTimeout(resolve, 10));
const until = async (what, seconds = 10) => {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause()) if (what()) return true;
  return false;
};

// What arrives, before the client does anything with it.
const wire = [];
export function listen(transport) {
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => { wire.push(message); deliver.call(transport, message, extra); };
}

// `client`: {protocol, list(), call(name, args, options), changes(), close()}
export async function run(connect) {
  try {
    const client = await connect();
    report.protocol = client.protocol;
    report.tools = await client.list();
    const callAll = async calls => {
      for (const { id, tool, args } of calls) report.calls[id] = await answer(() => client.call(tool, args));
    };
    await callAll(plan.calls);
    if (plan.progress) {
      const line = ({ progress, total, message }) => [progress, total, message];
      report.callbacks = [];
      const onprogress = progress => report.callbacks.push(line(progress));
      await client.call(plan.progress.tool, plan.progress.args, { onprogress });
      // Over stdio the callback misses what arrives together with the result (modelcontextprotocol/typescript-sdk#2580).
      const notes = wire.filter(({ method }) => method === 'notifications/progress');
      report.progress = notes.map(({ params }) => line(params));
    }
    if (plan.cancel) {
      const { tool, args, started } = plan.cancel;
      const stop = new AbortController();
      const call = answer(() => client.call(tool, args, { signal: stop.signal }));
      const began = await until(() => existsSync(started) && readFileSync(started, 'utf8').endsWith('\n'));
      stop.abort();
      const ended = await call;
      const process = '/proc/' + (began ? readFileSync(started, 'utf8').trim() : 'self');
      report.cancel = { began, rejected: !ended.result, stopped: await until(() => !existsSync(process)) };
    }
    if (change) {
      await copyFile(change.from, change.to + '.new');
      await rename(change.to + '.new', change.to);
      report.change = { heard: await until(() => client.changes() > 0), tools: await client.list() };
      await callAll(change.calls);
    }
    await client.close();
    finish(0);
  } catch (error) {
    report.broken = String(error?.stack ?? error);
    finish(1);
  }
}

async function answer(call) {
  try {
    return { result: await call() };
  } catch (error) {
    return { error: { code: error.code, message: String(error.message) } };
  }
}
