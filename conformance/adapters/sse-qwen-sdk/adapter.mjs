// Adapter of the stream client of the npm package @qwen-code/sdk for the suite sse-client (spec/adapter.md).
// Usage: node adapter.mjs FOLDER, where FOLDER holds node_modules/@qwen-code/sdk.
// The library reads one stream for each call of events() and keeps the cursor between calls; calling again is left to its
// user, and done here after the time that the daemon's streams ask for at most.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const folder = resolve(process.argv[2] ?? '.', 'node_modules/@qwen-code/sdk');
const about = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const { DaemonClient, DaemonSessionClient } = await import(pathToFileURL(`${folder}/dist/daemon/index.js`).href);

const pause = 100; // ms until a stream is asked for again
let over, running, events = [], errors = [], state = 'closed', wake = () => {};

async function read({ url, lastEventId, stopAt }, signal) {
  const client = new DaemonClient({ baseUrl: url });
  const session = new DaemonSessionClient({
    client, session: { sessionId: 'assay', workspaceCwd: '/', attached: true }, ...(lastEventId && { lastEventId: Number(lastEventId) }),
  });
  while (!signal.aborted) {
    state = 'connecting';
    try {
      for await (const e of session.events({ signal })) {
        if (stopAt && e.id === stopAt) { stopAt = 0; break; }
        events.push({ type: e.type, data: e.data === undefined ? '' : JSON.stringify(e.data), id: e.id === undefined ? '' : String(e.id) });
        wake();
      }
    } catch (e) {
      if (!signal.aborted) errors.push(`${e.name}: ${e.message}`);
      wake();
    }
    await new Promise(ok => { setTimeout(ok, pause); signal.addEventListener('abort', ok, { once: true }); });
  }
  state = 'closed';
}

async function open(order) {
  await shut();
  [events, errors] = [[], []];
  over = new AbortController();
  running = read(order, over.signal);
  return {};
}

async function shut() {
  over?.abort();
  await running;
  return {};
}

async function collect({ count, ms }) {
  const end = performance.now() + ms;
  while (events.length < count && state !== 'closed' && performance.now() < end) {
    await new Promise(ok => { wake = ok; setTimeout(ok, Math.min(20, Math.max(1, end - performance.now()))); });
  }
  const out = { events, state: '', errors };
  [events, errors] = [[], []];
  return out;
}

const ops = {
  hello: () => ({
    protocol: 'sse-client', software: `@qwen-code/sdk ${about.version} (npm, Node.js ${process.version})`, roles: ['sse-client'],
    options: {
      text: 'shows envelopes of the daemon only', state: 'tells of errors, not of its state', headers: 'takes none',
      reconnect: 'its user asks for each further stream', 'max-queued': 'its user looks the capabilities up',
    },
  }),
  open,
  collect,
  shut,
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
