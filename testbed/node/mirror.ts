import { appendFileSync, createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer as createProxy, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { join, normalize } from 'node:path';

/*
 * Serves downloads to nodes over TLS: apt repositories from a directory, and container images through the distribution
 * API (pull only). It also runs a proxy, the only route to names below testbed.example, like a cloud's proxy to the
 * Internet. Usage: mirror.ts FOLDER ADDRESS PORT PROXY_PORT
 */

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const PROXIED_HOST = /^(packages|registry)\.testbed\.example:443$/;

interface FileResponse {
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
}

const [folder = '', address = '', port = '', proxyPort = ''] = process.argv.slice(2);
const images = join(folder, 'images');
const tls = (name: string) => readFileSync(join(folder, 'tls', name));

createServer({ key: tls('server.key'), cert: tls('server.crt') }, (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'https://mirror');
  if (request.method !== 'GET' && request.method !== 'HEAD') return respond(response, 405);
  if (pathname === '/v2/') return respond(response, 200, '{}');
  const found = pathname.startsWith('/v2/') ? findRegistryFile(pathname) : findRepositoryFile(pathname);
  if (found === undefined) return respond(response, 404);
  return send(request, response, found);
}).listen(Number(port), address);

const proxy = createProxy((_, response) => respond(response, 405));
proxy.on('connect', ({ url = '' }, client, head) => {
  const isAllowed = PROXIED_HOST.test(url);
  appendFileSync(join(folder, 'run', 'proxied'), `${url} ${isAllowed ? 'tunnelled' : 'refused'}\n`);
  client.on('error', () => client.destroy());
  if (!isAllowed) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  const upstream = connect(Number(port), address, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.write(head);
    upstream.pipe(client);
    client.pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
  client.on('close', () => upstream.destroy());
});
proxy.listen(Number(proxyPort), address);

function findRepositoryFile(pathname: string): FileResponse | undefined {
  const file = join(folder, 'mirror', normalize(decodeURIComponent(pathname)));
  return isFile(file) ? { file, headers: {} } : undefined;
}

/** `/v2/NAME/manifests/TAG-or-digest` and `/v2/NAME/blobs/DIGEST`. */
function findRegistryFile(pathname: string): FileResponse | undefined {
  const [, name = '', kind, reference = ''] =
    /^\/v2\/([a-z0-9/._-]+)\/(manifests|blobs)\/([\w.:-]+)$/.exec(pathname) ?? [];
  if (kind === undefined || name.includes('..')) return undefined;
  const digest = DIGEST.test(reference) ? reference : kind === 'manifests' ? digestOfTag(name, reference) : undefined;
  if (digest === undefined) return undefined;
  const file = join(images, 'blobs', digest.slice('sha256:'.length));
  if (!isFile(file)) return undefined;
  const type = kind === 'manifests' ? MANIFEST : 'application/octet-stream';
  return { file, headers: { 'Content-Type': type, 'Docker-Content-Digest': digest } };
}

function digestOfTag(name: string, tag: string): string | undefined {
  const file = join(images, 'tags', name, tag);
  return isFile(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

function send(request: IncomingMessage, response: ServerResponse, { file, headers }: FileResponse): void {
  response.writeHead(200, { ...headers, 'Content-Length': statSync(file).size });
  if (request.method === 'HEAD') return void response.end();
  const content = createReadStream(file);
  content.on('error', () => response.destroy());
  content.pipe(response);
}

function respond(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
