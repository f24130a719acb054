import { readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

const TYPES: Readonly<Record<string, { readonly type: string; readonly isText: boolean }>> = {
  '.html': { type: 'text/html; charset=utf-8', isText: true },
  '.js': { type: 'text/javascript; charset=utf-8', isText: true },
  '.css': { type: 'text/css; charset=utf-8', isText: true },
  '.svg': { type: 'image/svg+xml', isText: true },
  '.png': { type: 'image/png', isText: false },
  '.woff2': { type: 'font/woff2', isText: false },
};

/** Throws for unknown types: browsers must not guess them (nosniff). */
export function typeOf(path: string): { readonly type: string; readonly isText: boolean } {
  const found = TYPES[extname(path)];
  if (found === undefined) throw new Error(`${path}: add its media type to tools/console/built-files.ts`);
  return found;
}

/** All files in a directory, as paths relative to it, with slashes. */
export function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();
}
