// Adapter of the EventSource that Node.js itself has behind a flag, for the suite sse-client (spec/adapter.md).
// Usage: node --experimental-eventsource adapter.mjs.
import { serveEventSource } from '../source.mjs';

await serveEventSource({
  software: `EventSource of Node.js ${process.versions.node} (undici ${process.versions.undici})`,
  options: { headers: 'its constructor takes none', 'last-event-id-option': 'its constructor takes none' },
  make: ({ url }) => new EventSource(url),
});
