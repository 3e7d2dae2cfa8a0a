// Measures how long the library needs for a script, without a pipe between.
//
//   node bench.mjs PATH SCRIPT   PATH as for adapter.mjs; SCRIPT has one request a line, as spec/adapter.md says, but without n
//
// It prints one line: {"ops":N,"seconds":S}.

import { readFileSync, writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { findLibrary } from './library.mjs';
import { members, operations } from './operations.mjs';

const [path, script] = process.argv.slice(2);
const library = findLibrary(path);
const requests = readFileSync(script, 'utf8').split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
for (const { op, ...request } of requests) {
  const unknown = members[op] ? Object.keys(request).find((name) => !members[op].includes(name)) : op;
  if (unknown !== undefined) throw new Error(`unknown: ${unknown} of ${op}`);
}
const ops = operations(library);
await library.load();
const began = performance.now();
for (const { op, ...request } of requests) await ops[op](request);
writeSync(1, `${JSON.stringify({ ops: requests.length, seconds: (performance.now() - began) / 1000 })}\n`);
process.exit(0);
