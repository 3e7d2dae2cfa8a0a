// What adapters of readers of event streams in JavaScript have in common: the operations of the suite sse-client.

import { serve } from './serve.mjs';

const states = ['connecting', 'open', 'closed'];
let events = [], errors = [], wake = () => {};

export function event(e) { events.push(e); wake(); }

export function fail(text) { errors.push(text); wake(); }

function take() {
  const out = { events, errors };
  [events, errors] = [[], []];
  return out;
}

// Serves a client that open opens and shut ends. state says which of the states it is in; options what it does without.
export function serveClient({ software, options, open, shut, state }) {
  return serve({
    protocol: 'sse-client',
    hello: { software, roles: ['sse-client'], options },
    ops: {
      async open(order) {
        await shut();
        take();
        await open(order);
      },
      async collect({ count, ms }) {
        const end = performance.now() + ms;
        while (events.length < count && state() !== 'closed' && performance.now() < end) {
          await new Promise(ok => { wake = ok; setTimeout(ok, Math.min(20, Math.max(1, end - performance.now()))); });
        }
        return { ...take(), state: Object.hasOwn(options, 'state') ? '' : state() };
      },
      shut,
    },
    members: { open: ['url', 'lastEventId', 'headers', 'types', 'stopAt', 'maxQueued', 'as'], collect: ['count', 'ms'], shut: [] },
  });
}

// Serves what has the interface of EventSource; make returns one.
export function serveEventSource({ software, options, make }) {
  let client;
  return serveClient({
    software, options: { envelope: 'reads any stream of events', ...options },
    open(order) {
      client = make(order);
      for (const type of new Set(['error', 'message', ...order.types ?? []])) client.addEventListener(type, keep);
    },
    shut() { client?.close(); },
    state: () => states[client.readyState],
  });
}

// What the library itself has to tell comes under the types open and error, too, but has no data.
function keep(e) {
  if (e.data !== undefined) event({ type: e.type, data: e.data, id: e.lastEventId });
  else if (e.type === 'error') fail([e.code, e.message].filter(Boolean).join(' ') || 'error');
  else wake();
}
