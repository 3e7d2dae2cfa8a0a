// Adapter around the data bus of the package cross-tab-worker-databus, in tabs of one process whose browser and server are of this adapter.
//
//   node adapter.mjs PATH        PATH, or ASSAY_DATABUS_ORIGINAL, is the folder of the built package, or its module
//
// It speaks spec/adapter.md: one request a line on standard input, one reply a line on standard output. The package is on no registry:
// build it where it is, by its own means. Node 20.6 or later.
//
// Everything that the library takes from a browser is replaced, so that a request is one task with its microtasks and nothing else happens.
// A bus is made with its page, and anew if writes begin to fail before its first use: it looks at its storage only while it is made.
// Otherwise it is left as it is: private members are read for snapshots, since its own snapshot removes expired records. What a task throws
// that nobody called, such as the arrival of a frame, is told as an error "uncaught ...", as a page is told of it; what a call throws is
// thrown.
//
// bench.mjs carries a script of such requests out without a pipe, and says how long that took:
//
//   node bench.mjs PATH SCRIPT

import { serve } from '../serve.mjs';
import { findLibrary } from './library.mjs';
import { members, operations } from './operations.mjs';

const library = findLibrary(process.argv[2] ?? process.env.ASSAY_DATABUS_ORIGINAL ?? '.');

await serve({
  protocol: 'databus',
  hello: {
    software: library.software, roles: ['databus', 'runtime', 'storage-writer'], versions: ['v010'],
    options: { backend: 'the worker behind a transport belongs to a transport of the package, and this one is of the adapter' },
  },
  ops: operations(library),
  members,
});
