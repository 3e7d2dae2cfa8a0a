// Adapter of the npm package eventsource for the suite sse-client (spec/adapter.md). Installed with: npm install eventsource.
// Usage: node adapter.mjs FOLDER, where FOLDER holds node_modules/eventsource.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const folder = resolve(process.argv[2] ?? '.', 'node_modules/eventsource');
const about = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const { EventSource } = await import(pathToFileURL(`${folder}/dist/index.js`).href);

const states = ['connecting', 'open', 'closed'];
let client, events = [], errors = [], wake = () => {};

function keep(e) {
  // What the library itself has to tell comes under the types open and error, too, but has no data.
  if (e.data !== undefined) events.push({ type: e.type, data: e.data, id: e.lastEventId });
  else if (e.type === 'error') errors.push([e.code, e.message].filter(Boolean).join(' ') || 'error');
  wake();
}

function open({ url, lastEventId, headers, types = [] }) {
  client?.close();
  [events, errors] = [[], []];
  const own = { ...headers, ...(lastEventId && { 'Last-Event-ID': lastEventId }) };
  client = new EventSource(url, { fetch: (input, init) => fetch(input, { ...init, headers: { ...own, ...init.headers } }) });
  for (const type of new Set(['error', 'message', ...types])) client.addEventListener(type, keep);
  return {};
}

async function collect({ count, ms }) {
  const end = performance.now() + ms;
  while (events.length < count && client.readyState !== 2 && performance.now() < end) {
    await new Promise(ok => { wake = ok; setTimeout(ok, Math.min(20, Math.max(1, end - performance.now()))); });
  }
  const out = { events, state: states[client.readyState], errors };
  [events, errors] = [[], []];
  return out;
}

const ops = {
  hello: () => ({
    protocol: 'sse-client', software: `eventsource ${about.version} (npm, Node.js ${process.version})`, roles: ['sse-client'],
    options: { envelope: 'reads any stream of events' },
  }),
  open,
  collect,
  shut: () => { client?.close(); return {}; },
};

// What is unknown must not be ignored: it would change what was asked.
const members = { hello: ['protocol'], open: ['url', 'lastEventId', 'headers', 'types', 'stopAt', 'maxQueued', 'as'], collect: ['count', 'ms'], shut: [] };

function unknown(op, request) {
  if (!Object.hasOwn(members, op)) return `operation ${op}`;
  if (op === 'hello' && request.protocol !== 'sse-client') return `protocol ${request.protocol}`;
  const name = Object.keys(request).find((name) => !members[op].includes(name));
  return name && `member ${name} of ${op}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { n, op, ...request } = JSON.parse(line);
  let reply;
  try {
    const what = unknown(op, request);
    reply = what ? { n, error: { name: 'unsupported', message: what } } : { n, ok: await ops[op](request) };
  } catch (e) {
    reply = { n, error: { name: e.name ?? 'Error', message: String(e.message ?? e) } };
  }
  process.stdout.write(JSON.stringify(reply) + '\n');
}
process.exit(0);
