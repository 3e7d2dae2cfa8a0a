// What adapters in JavaScript have in common: the frame of spec/adapter.md around a table of operations. An adapter imports this
// before the package under judgement, whose prints go nowhere: standard output belongs to the replies alone.

import { createInterface } from 'node:readline';

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;

// The adapter has no such operation, or cannot pass such a value.
export class Unsupported extends Error {}

// The adapter itself failed.
export class Fault extends Error {}

// Answers requests until standard input ends, and ends the process. hello is what the reply to it tells besides the protocol;
// members are those that each operation takes: one that is unknown must not be ignored, as it would change what was asked.
// quiet waits until the target is at rest, and encode makes the text of a reply.
export async function serve({ protocol, hello, ops, members, quiet = () => {}, encode = JSON.stringify }) {
  const all = {
    ...ops,
    hello(request) {
      if (request.protocol !== protocol) throw new Unsupported(`protocol ${request.protocol}`);
      return { protocol, ...hello };
    },
  };
  const known = { ...members, hello: ['protocol'] };

  async function carryOut({ n, op, ...request }) {
    try {
      if (!Object.hasOwn(all, op)) throw new Unsupported('no such operation');
      const unknown = Object.keys(request).find((name) => !known[op].includes(name));
      if (unknown !== undefined) throw new Unsupported(`member ${unknown} of ${op}`);
      const ok = (await all[op](request)) ?? {};
      await quiet();
      return { n, ok };
    } catch (error) {
      const { name, message, limit } = error ?? {};
      if (error instanceof Unsupported) return { n, error: { name: 'unsupported', message } };
      if (error instanceof Fault) return { n, error: { name: 'adapter', message } };
      return { n, error: { name: String(name ?? typeof error), message: String(message ?? error), limit } };
    }
  }

  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const text = encode(await carryOut(JSON.parse(line)));
    if (!write(text + '\n')) await new Promise((done) => process.stdout.once('drain', done));
  }
  process.exit(0);
}
