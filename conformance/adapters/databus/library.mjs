// Finds the module of the library in a folder, and imports it afresh for each document: some of what it knows belongs to the module, as a
// page has one of its own.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// The modules that a module of one document imports are of that document too.
const perDocument = `export async function resolve(name, context, next) {
  const found = await next(name, context);
  const document = context.parentURL?.startsWith('file:') && new URL(context.parentURL).searchParams.get('document');
  if (!document || !found.url.startsWith('file:')) return found;
  const url = new URL(found.url);
  url.searchParams.set('document', document);
  return { ...found, url: url.href };
}`;

function manifestAbove(file) {
  for (let dir = dirname(file); dir !== dirname(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json'))) return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  }
  return {};
}

// entry returns the module that a package's manifest names, or the file itself.
function entry(path) {
  if (!statSync(path).isDirectory()) return path;
  const { exports, module, main } = existsSync(join(path, 'package.json')) ? manifestAbove(join(path, 'package.json')) : {};
  const named = exports?.['.']?.import?.default ?? exports?.['.']?.import ?? module ?? main ?? 'dist/index.js';
  const file = join(path, named);
  if (!existsSync(file)) throw new Error(`there is no module ${file}: a folder of sources must be built first`);
  return file;
}

// findLibrary returns { software, load }; load imports the module for a new document.
export function findLibrary(path) {
  const file = entry(resolve(path));
  const { name = file, version = 'of no version' } = manifestAbove(file);
  const url = pathToFileURL(file);
  register(`data:text/javascript,${encodeURIComponent(perDocument)}`);
  let documents = 0;
  return {
    software: `${name} ${version}`,
    async load() {
      documents += 1;
      const found = await import(`${url.href}?document=${documents}`);
      if (typeof found.CrossTabDataBus !== 'function') throw new Error(`${file} exports no CrossTabDataBus`);
      return found.CrossTabDataBus;
    },
  };
}
