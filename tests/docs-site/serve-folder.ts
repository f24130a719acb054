import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface ServedFolder extends AsyncDisposable {
  /** `http://127.0.0.1:41234`. */
  readonly url: string;
}

/** Serves a directory as a static web server would: files, and the index of each directory. */
export async function serveFolder(folder: string): Promise<ServedFolder> {
  const server = createServer(({ url = '/' }, response) => {
    const file = fileAt(folder, decodeURIComponent(new URL(url, 'http://site').pathname));
    if (file === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function fileAt(folder: string, path: string): string | undefined {
  const file = join(folder, normalize(path), path.endsWith('/') ? 'index.html' : '');
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}
