import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ETCD_BINARIES, KUBERNETES_BINARIES } from '../releases/release-files.ts';

export const MIRRORED_RELEASE = { version: '1.36.3', etcd: '3.6.8', architecture: 'amd64' } as const;

/** A mirror of one release on loopback: upstream's paths, checksums and ranges, with scripts in place of binaries. */
export class ReleaseMirror implements AsyncDisposable {
  readonly files = new Map<string, Buffer>();
  /** `GET /path` and `GET /path bytes=5-`, in order. */
  readonly requests: string[] = [];
  /** Drops the connection after half of a body, once per entry, when its promise resolves. */
  readonly truncations = new Map<string, PromiseWithResolvers<void>>();
  /** Paths that stall after half of the bytes until the promise resolves. */
  readonly pauses = new Map<string, PromiseWithResolvers<void>>();
  onRequest: (path: string) => void = () => {};
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  static async start(): Promise<ReleaseMirror> {
    const mirror = new ReleaseMirror();
    for (const name of KUBERNETES_BINARIES) mirror.#addProgram(name);
    mirror.#addEtcd();
    await new Promise<void>((resolve) => mirror.#server.listen(0, '127.0.0.1', resolve));
    return mirror;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  static pathOf(program: string): string {
    return `/release/v${MIRRORED_RELEASE.version}/bin/linux/${MIRRORED_RELEASE.architecture}/${program}`;
  }

  static get archivePath(): string {
    const { etcd, architecture } = MIRRORED_RELEASE;
    return `/etcd-io/etcd/releases/download/v${etcd}/etcd-v${etcd}-linux-${architecture}.tar.gz`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const waiting of [...this.pauses.values(), ...this.truncations.values()]) waiting.resolve();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #addProgram(name: string): void {
    // Long enough to arrive in several chunks.
    const text = `#!/bin/sh\necho "Kubernetes v${MIRRORED_RELEASE.version}"\n${'# filler\n'.repeat(20_000)}`;
    const path = ReleaseMirror.pathOf(name);
    this.files.set(path, Buffer.from(text));
    this.files.set(`${path}.sha512`, Buffer.from(createHash('sha512').update(text).digest('hex')));
  }

  #addEtcd(): void {
    const folder = mkdtempSync(join(tmpdir(), 'etcd-archive-'));
    const archiveRoot = `etcd-v${MIRRORED_RELEASE.etcd}-linux-${MIRRORED_RELEASE.architecture}`;
    mkdirSync(join(folder, archiveRoot));
    for (const name of [...ETCD_BINARIES, 'README.md']) {
      const path = join(folder, archiveRoot, name);
      writeFileSync(path, `#!/bin/sh\necho "${name} version: ${MIRRORED_RELEASE.etcd}"\n`);
      chmodSync(path, 0o755);
    }
    execFileSync('tar', ['-czf', 'archive.tar.gz', archiveRoot], { cwd: folder });
    const archive = readFileSync(join(folder, 'archive.tar.gz'));
    rmSync(folder, { recursive: true });
    const path = ReleaseMirror.archivePath;
    const sum = createHash('sha256').update(archive).digest('hex');
    const name = path.slice(path.lastIndexOf('/') + 1);
    this.files.set(path, archive);
    const sums = `${'0'.repeat(64)}  ${name.replace('amd64', 'arm64')}\n${sum}  ${name}\n`;
    this.files.set(path.replace(name, 'SHA256SUMS'), Buffer.from(sums));
  }

  async #respond({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    this.onRequest(url);
    this.requests.push(['GET', url, headers.range].filter(Boolean).join(' '));
    const file = this.files.get(url);
    if (file === undefined) {
      response.writeHead(404).end('not found');
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    if (from >= file.length && from > 0) {
      response.writeHead(416).end();
      return;
    }
    const body = file.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': body.length });
    const halt = this.pauses.get(url);
    const cut = this.truncations.get(url);
    if (cut !== undefined) {
      this.truncations.delete(url);
      response.write(body.subarray(0, body.length / 2));
      await cut.promise;
      response.destroy();
    } else if (halt !== undefined) {
      response.write(body.subarray(0, body.length / 2));
      await halt.promise;
      response.end(body.subarray(body.length / 2));
    } else response.end(body);
  }
}
