import { createReadStream, type ReadStream, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';

/*
 * What nodes download: apt repositories from a folder of files, and container images by the distribution API (pull alone).
 * Usage: mirror.ts ADDRESS PORT REPOSITORIES IMAGES
 */

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const DIGEST = /^sha256:[0-9a-f]{64}$/;

interface Found {
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
}

const [address = '', port = '', repositories = '', images = ''] = process.argv.slice(2);

createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://mirror');
  if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405);
  if (pathname === '/v2/') return answer(response, 200, '{}');
  const found = pathname.startsWith('/v2/') ? ofRegistry(pathname) : ofRepositories(pathname);
  if (found === undefined) return answer(response, 404);
  return send(request, response, found);
}).listen(Number(port), address);

function ofRepositories(pathname: string): Found | undefined {
  const file = join(repositories, normalize(decodeURIComponent(pathname)));
  return isFile(file) ? { file, headers: {} } : undefined;
}

/** `/v2/NAME/manifests/TAG-or-digest` and `/v2/NAME/blobs/DIGEST`. */
function ofRegistry(pathname: string): Found | undefined {
  const [, name = '', kind, reference = ''] =
    /^\/v2\/([a-z0-9/._-]+)\/(manifests|blobs)\/([\w.:-]+)$/.exec(pathname) ?? [];
  if (kind === undefined || name.includes('..')) return undefined;
  const digest = DIGEST.test(reference) ? reference : kind === 'manifests' ? tagged(name, reference) : undefined;
  if (digest === undefined) return undefined;
  const file = join(images, 'blobs', digest.slice('sha256:'.length));
  if (!isFile(file)) return undefined;
  const type = kind === 'manifests' ? MANIFEST : 'application/octet-stream';
  return { file, headers: { 'Content-Type': type, 'Docker-Content-Digest': digest } };
}

function tagged(name: string, tag: string): string | undefined {
  const file = join(images, 'tags', name, tag);
  return isFile(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

function send(request: IncomingMessage, response: ServerResponse, { file, headers }: Found): void {
  response.writeHead(200, { ...headers, 'Content-Length': statSync(file).size });
  if (request.method === 'HEAD') return void response.end();
  const content: ReadStream = createReadStream(file);
  content.on('error', () => response.destroy());
  content.pipe(response);
}

function answer(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
