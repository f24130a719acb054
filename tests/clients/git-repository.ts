import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** Ignores settings of the user and the machine, and any surrounding repository. */
const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.org',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.org',
};

/** A repository on disk, served on loopback by git's own HTTP backend, as on a forge. */
export class GitRepository implements AsyncDisposable {
  readonly #folder: string;
  readonly #server: Server;

  private constructor(folder: string, server: Server) {
    this.#folder = folder;
    this.#server = server;
  }

  /** Creates an empty repository below `parent`. */
  static async open(parent: string): Promise<GitRepository> {
    const folder = join(parent, 'fleet');
    mkdirSync(folder);
    const server = createServer((request, response) => {
      respond(parent, request, response).catch((error: Error) => response.writeHead(500).end(error.message));
    });
    const repository = new GitRepository(folder, server);
    repository.#git('init', '--quiet', '--initial-branch=main');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return repository;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/fleet`;
  }

  /** Writes the files that have text, and deletes those without; returns Flux's name for the commit: `main@sha1:…`. */
  commit(files: Readonly<Record<string, string | undefined>>): string {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.#folder, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === undefined) rmSync(file);
      else writeFileSync(file, text);
    }
    this.#git('add', '--all');
    this.#git('commit', '--quiet', '--message', Object.keys(files).join(', '));
    return `main@sha1:${this.#git('rev-parse', 'HEAD').trim()}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #git(...args: readonly string[]): string {
    return execFileSync('git', ['-C', this.#folder, ...args], { encoding: 'utf8', env: ENV });
  }
}

/**
 * Responds through the Common Gateway Interface: the request is passed in environment variables and on standard input,
 * and the response's headers precede its body.
 */
async function respond(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const { headers, method = 'GET' } = request;
  const env = {
    ...ENV,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: method,
    PATH_INFO: pathname,
    QUERY_STRING: searchParams.toString(),
    CONTENT_TYPE: headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
  };
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const printed = await buffer(child.stdout);
  const end = printed.indexOf('\r\n\r\n');
  const lines = printed.subarray(0, end).toString().split('\r\n');
  const fields = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  const status = Number.parseInt(fields.get('Status') ?? '200', 10);
  fields.delete('Status');
  response.writeHead(status, Object.fromEntries(fields)).end(printed.subarray(end + 4));
}
