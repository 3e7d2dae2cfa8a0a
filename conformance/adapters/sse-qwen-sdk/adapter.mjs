// Adapter of the stream client of the npm package @qwen-code/sdk for the suite sse-client (spec/adapter.md).
// Usage: node adapter.mjs FOLDER, where FOLDER holds node_modules/@qwen-code/sdk.
// The library reads one stream for each call of events() and keeps the cursor between calls; calling again is left to its
// user, and done here after the time that the daemon's streams ask for at most.
import { event, fail, serveClient } from '../source.mjs';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const folder = resolve(process.argv[2] ?? '.', 'node_modules/@qwen-code/sdk');
const about = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const { DaemonClient, DaemonSessionClient } = await import(pathToFileURL(`${folder}/dist/daemon/index.js`).href);

const pause = 100; // ms until a stream is asked for again
let over, running, state = 'closed';

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
        event({ type: e.type, data: e.data === undefined ? '' : JSON.stringify(e.data), id: e.id === undefined ? '' : String(e.id) });
      }
    } catch (e) {
      if (!signal.aborted) fail(`${e.name}: ${e.message}`);
    }
    await new Promise(ok => { setTimeout(ok, pause); signal.addEventListener('abort', ok, { once: true }); });
  }
  state = 'closed';
}

await serveClient({
  software: `@qwen-code/sdk ${about.version} (npm, Node.js ${process.version})`,
  options: {
    text: 'shows envelopes of the daemon only', state: 'tells of errors, not of its state', headers: 'takes none',
    reconnect: 'its user asks for each further stream', 'max-queued': 'its user looks the capabilities up',
  },
  open(order) {
    over = new AbortController();
    running = read(order, over.signal);
  },
  async shut() {
    over?.abort();
    await running;
  },
  state: () => state,
});
