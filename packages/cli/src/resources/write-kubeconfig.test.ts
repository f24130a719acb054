import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseKubeconfig, renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeContext } from '../testing/fake-context.ts';
import { writeKubeconfig } from './write-kubeconfig.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-merge-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const of = (server: string, token = 't') => renderKubeconfig({ name: 'demo', server: `https://${server}.test`, token });

test.each([undefined, 'of somebody before'])('replaces %s with a file that only its owner can read', async (before) => {
  const path = join(folder, 'demo.kubeconfig');
  if (before !== undefined) writeFileSync(path, before, { mode: 0o644 });
  const context = fakeContext({ cwd: folder });

  await writeKubeconfig(context, of('a'), { merge: undefined, output: 'demo.kubeconfig', contextName: undefined });

  expect(readFileSync(path, 'utf8')).toBe(of('a'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['demo.kubeconfig']);
});

describe('merging into a kubeconfig', () => {
  const merge = (kubeconfig: string, contextName?: string) =>
    writeKubeconfig(fakeContext({ cwd: folder }), kubeconfig, { merge: 'config', contextName });
  const merged = () => parseKubeconfig(readFileSync(join(folder, 'config'), 'utf8'));

  test('creates a file that only its owner can read, and selects the new context', async () => {
    await merge(of('a'));

    expect(statSync(join(folder, 'config')).mode & 0o777).toBe(0o600);
    expect(merged()).toMatchObject({ 'current-context': 'demo', contexts: [{ name: 'demo' }] });
  });

  test.each([
    { reason: 'the first existing file of KUBECONFIG', files: ['b'], named: ['a', 'b', 'c'], expected: 'b' },
    { reason: 'the last file of KUBECONFIG if none exists', files: [], named: ['a', 'b'], expected: 'b' },
    { reason: 'the file in the home without KUBECONFIG', files: [], named: [], expected: '.kube/config' },
  ])('defaults to $reason', async ({ files, named, expected }) => {
    for (const file of files) writeFileSync(join(folder, file), '');
    const env = { HOME: folder, KUBECONFIG: named.map((file) => join(folder, file)).join(':') };
    await writeKubeconfig(fakeContext({ env }), of('a'), { merge: true, contextName: undefined });

    expect(parseKubeconfig(readFileSync(join(folder, expected), 'utf8'))).toMatchObject({ 'current-context': 'demo' });
  });

  test('replaces entries for the same cluster', async () => {
    await merge(of('a', 'old'));
    await merge(of('a', 'new'));

    expect(merged().users).toEqual([{ name: 'demo-admin', user: { token: 'new' } }]);
  });

  test('keeps the context of another cluster, and explains how to have both', async () => {
    await merge(of('a'));
    const before = readFileSync(join(folder, 'config'), 'utf8');

    await expect(merge(of('b'))).rejects.toMatchObject({
      message: expect.stringMatching(
        /has the context "demo" for https:\/\/a\.test, but this one is for https:\/\/b\.test/,
      ),
      advice: expect.stringMatching(/--context-name.*kubectl config delete-context demo/),
    });
    expect(readFileSync(join(folder, 'config'), 'utf8')).toBe(before);

    await merge(of('b'), 'other');

    const { contexts, clusters, users, 'current-context': current } = merged();
    expect(current).toBe('other');
    expect(contexts.map(({ name }) => name).toSorted()).toEqual(['demo', 'other']);
    expect(clusters.find(({ name }) => name === 'demo')?.cluster.server).toBe('https://a.test');
    expect(users.map(({ name }) => name).toSorted()).toEqual(['demo-admin', 'other']);
  });

  test("does not replace the user of another cluster's context", async () => {
    await merge(of('a'), 'mine');
    const foreignConfig = of('b').replaceAll('demo-admin', 'mine');

    await expect(merge(foreignConfig)).rejects.toThrow(/has the context "mine" for https:\/\/a\.test/);
  });
});

test('prints the kubeconfig under the requested name if no file is given', async () => {
  const context = fakeContext();

  await writeKubeconfig(context, of('a'), { merge: undefined, contextName: 'mine' });

  expect(parseKubeconfig(context.written.stdout)).toMatchObject({
    'current-context': 'mine',
    contexts: [{ name: 'mine', context: { cluster: 'mine', user: 'mine' } }],
  });
});

test('names a directory that does not exist, with advice', async () => {
  const options = { merge: undefined, output: 'missing/demo.kubeconfig', contextName: undefined };

  await expect(writeKubeconfig(fakeContext({ cwd: folder }), of('a'), options)).rejects.toMatchObject({
    message: `cannot write ${join(folder, 'missing/demo.kubeconfig')}: ENOENT`,
    advice: `create the folder ${join(folder, 'missing')}, or name another file`,
  });
});
