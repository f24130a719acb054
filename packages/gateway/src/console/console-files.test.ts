import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ApiResponse } from '@fairway/apiserver/server/request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleFiles, type ConsoleIndex } from './console-files.ts';

const PAGE_SIZE = '<!doctype html>page';
const SCRIPT = 'export const a = 1;';

let folder: string;
let files: ConsoleFiles;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-files-'));
  const dist = join(folder, 'dist');
  mkdirSync(join(dist, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret'), 'not to be seen');
  writeFileSync(join(dist, 'unlisted'), 'not to be seen');
  const writeAsset = (path: string, text: string) => {
    writeFileSync(join(dist, `${path}.gz`), gzipSync(text));
    writeFileSync(join(dist, `${path}.br`), brotliCompressSync(text));
  };
  writeAsset('index.html', PAGE_SIZE);
  writeAsset('assets/a-1234.js', SCRIPT);
  const index: ConsoleIndex = {
    files: [
      { path: 'index.html', type: 'text/html; charset=utf-8', isCompressed: true, isImmutable: false },
      { path: 'assets/a-1234.js', type: 'text/javascript; charset=utf-8', isCompressed: true, isImmutable: true },
    ],
    firstScripts: [],
  };
  writeFileSync(join(dist, 'index.json'), JSON.stringify(index));
  files = ConsoleFiles.open(dist);
});
afterAll(() => rmSync(folder, { recursive: true }));

const textOf = (body: ApiResponse['body']) => (body instanceof Uint8Array ? Buffer.from(body).toString() : body);
const get = (path: string, headers: Record<string, string> = {}) => files.respond({ method: 'GET', path, headers });

it.each(['/console', '/console/', '/console/clusters/team/demo', '/console/clusters/team/a.b'])(
  'serves the page for %s, revalidated each time',
  async (path) => {
    const { status, headers, body } = await get(path);

    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    expect(textOf(body)).toBe(PAGE_SIZE);
  },
);

it('caches a file indefinitely if its name contains a content hash', async () => {
  const { headers, body } = await get('/console/assets/a-1234.js');

  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(textOf(body)).toBe(SCRIPT);
});

it.each([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['identity', undefined],
  ['', undefined],
])('serves "%s" with encoding %s', async (accepted, encoding) => {
  const { headers } = await get('/console/assets/a-1234.js', { 'accept-encoding': accepted });

  expect(headers['content-encoding']).toBe(encoding);
  expect(headers['vary']).toBe('accept-encoding');
});

it('does not send cached files again', async () => {
  const { headers } = await get('/console/');
  const again = await get('/console/', { 'if-none-match': headers['etag'] ?? '' });

  expect([again.status, again.body]).toEqual([304, '']);
});

describe('requests outside the build output', () => {
  it.each([
    '/console/assets/missing.js',
    '/console/assets/../../secret',
    '/console/assets/..%2f..%2fsecret',
    '/console/assets//etc/passwd',
    '/console/index.json',
    '/console/a.js',
  ])('return 404 for %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it.each(['/console/../secret', '/console/unlisted', '/console/%2e%2e/secret', '/console/constructor'])(
    'return the page for %s, an address of one of its views',
    async (path) => {
      expect(textOf((await get(path)).body)).toBe(PAGE_SIZE);
    },
  );
});

it('refuses writes', async () => {
  expect((await files.respond({ method: 'POST', path: '/console/', headers: {} })).status).toBe(405);
});

it('sends security headers with every response', async () => {
  for (const path of ['/console/', '/console/assets/a-1234.js', '/console/assets/missing.js']) {
    const { headers } = await get(path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
  }
});

it('explains how to build the console if it is not built', async () => {
  const { status, body } = await ConsoleFiles.open(join(folder, 'nowhere')).respond({
    method: 'GET',
    path: '/console/',
    headers: {},
  });

  expect(status).toBe(503);
  expect(textOf(body)).toContain('npm run build:console');
});
