// Adapter of the npm package eventsource for the suite sse-client (spec/adapter.md). Installed with: npm install eventsource.
// Usage: node adapter.mjs FOLDER, where FOLDER holds node_modules/eventsource.
import { serveEventSource } from '../source.mjs';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const folder = resolve(process.argv[2] ?? '.', 'node_modules/eventsource');
const about = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const { EventSource } = await import(pathToFileURL(`${folder}/dist/index.js`).href);

await serveEventSource({
  software: `eventsource ${about.version} (npm, Node.js ${process.version})`,
  make({ url, lastEventId, headers }) {
    const own = { ...headers, ...(lastEventId && { 'Last-Event-ID': lastEventId }) };
    return new EventSource(url, { fetch: (input, init) => fetch(input, { ...init, headers: { ...own, ...init.headers } }) });
  },
});
