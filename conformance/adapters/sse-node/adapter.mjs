// Adapter of the EventSource that Node.js itself has behind a flag, for the suite sse-client (spec/adapter.md).
// Usage: node --experimental-eventsource adapter.mjs.
import { createInterface } from 'node:readline';

const states = ['connecting', 'open', 'closed'];
let client, events = [], errors = [], wake = () => {};

function keep(e) {
  // What the library itself has to tell comes under the types open and error, too, but has no data.
  if (e.data !== undefined) events.push({ type: e.type, data: e.data, id: e.lastEventId });
  else if (e.type === 'error') errors.push([e.code, e.message].filter(Boolean).join(' ') || 'error');
  wake();
}

function open({ url, types = [] }) {
  client?.close();
  [events, errors] = [[], []];
  client = new EventSource(url);
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
    protocol: 'sse-client', software: `EventSource of Node.js ${process.versions.node} (undici ${process.versions.undici})`, roles: ['sse-client'],
    options: {
      envelope: 'reads any stream of events', headers: 'its constructor takes none', 'last-event-id-option': 'its constructor takes none',
    },
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
