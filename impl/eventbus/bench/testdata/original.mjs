// Measures the bus of an npm package, whose file is the argument. One request a line on stdin, one reply a line on stdout:
// {"ring":n,"subs":n,"drain":bool,"ms":n} is answered by {"published":n,"delivered":n,"ns":n,"cpu":n}, the last in ns too.
import { setMaxListeners } from "node:events";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { EventBus } = await import(pathToFileURL(process.argv[2]).href);
const text = "x".repeat(Number(process.argv[3]));
const input = () => ({
  type: "session_update",
  data: { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
});
const turn = () => new Promise((done) => setImmediate(done));
const batch = 100;
const benches = new Map();

async function open({ ring, subs, drain }) {
  const limits = drain ? {} : { maxQueuedBytes: Number.MAX_SAFE_INTEGER };
  const bench = { bus: new EventBus(ring, 64, undefined, limits), delivered: 0 };
  for (let i = 0; i < ring; i++) bench.bus.publish(input());
  const queued = drain ? 256 : Number.MAX_SAFE_INTEGER;
  bench.attach = () => {
    bench.abort = new AbortController();
    setMaxListeners(0, bench.abort.signal);
    for (let i = 0; i < subs; i++) {
      const stream = bench.bus.subscribe({ maxQueued: queued, signal: bench.abort.signal });
      if (drain) {
        (async () => {
          for await (const event of stream) bench.delivered += event.v;
        })();
      }
    }
  };
  bench.attach();
  await turn();
  return bench;
}

async function measure(request) {
  const key = JSON.stringify([request.ring, request.subs, request.drain]);
  if (!benches.has(key)) benches.set(key, await open(request));
  const bench = benches.get(key);
  const before = bench.delivered;
  const worked = process.cpuUsage();
  const start = process.hrtime.bigint();
  const end = start + BigInt(request.ms) * 1000000n;
  let published = 0;
  let now = start;
  while (now < end) {
    for (let i = 0; i < batch; i++) bench.bus.publish(input());
    published += batch;
    if (request.drain) await turn();
    now = process.hrtime.bigint();
  }
  const { user, system } = process.cpuUsage(worked);
  if (!request.drain) {
    // What was left undrained goes, so that the next round starts alike.
    bench.abort.abort();
    bench.attach();
  }
  if (bench.bus.subscriberCount !== request.subs) throw new Error("a subscriber was evicted");
  return { published, delivered: bench.delivered - before, ns: Number(now - start), cpu: (user + system) * 1000 };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await measure(JSON.parse(line))) + "\n");
}
