import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommandError } from '../command-error.ts';
import { readNodeSettings } from './node-settings.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-node-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('reads the settings for all nodes', () => {
  const path = join(folder, 'nodes.yaml');
  writeFileSync(path, 'failCgroupV1: false\n');

  expect(readNodeSettings(path)).toEqual({ failCgroupV1: false });
});

it.each([
  ['a missing file', undefined, /--node-settings .*nodes\.yaml: ENOENT/],
  ['an invalid field', 'proxy: {httpProxy: proxy}', /--node-settings .*nodes\.yaml: [\s\S]*proxy\.httpProxy/],
])('reports the problem with %s', (_, text, message) => {
  const path = join(folder, 'nodes.yaml');
  if (text !== undefined) writeFileSync(path, text);

  expect(() => readNodeSettings(path)).toThrow(CommandError);
  expect(() => readNodeSettings(path)).toThrow(message);
});
