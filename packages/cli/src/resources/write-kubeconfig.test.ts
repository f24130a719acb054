import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
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

describe('merging into a kubeconfig', () => {
  const merge = (kubeconfig: string, contextName?: string) =>
    writeKubeconfig(fakeContext({ cwd: folder }), kubeconfig, { merge: 'config', contextName });
  const merged = () => parseKubeconfig(readFileSync(join(folder, 'config'), 'utf8'));

  test('makes a file for its owner alone, and its context the current one', async () => {
    await merge(of('a'));

    expect(statSync(join(folder, 'config')).mode & 0o777).toBe(0o600);
    expect(merged()).toMatchObject({ 'current-context': 'demo', contexts: [{ name: 'demo' }] });
  });

  test('replaces what is of the same cluster', async () => {
    await merge(of('a', 'old'));
    await merge(of('a', 'new'));

    expect(merged().users).toEqual([{ name: 'demo-admin', user: { token: 'new' } }]);
  });

  test('leaves the context of another cluster alone, and says how both can be had', async () => {
    await merge(of('a'));
    const before = readFileSync(join(folder, 'config'), 'utf8');

    await expect(merge(of('b'))).rejects.toMatchObject({
      message: expect.stringMatching(
        /has the context "demo" of https:\/\/a\.test, and this one is of https:\/\/b\.test/,
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

  test('does not lend its user to a context of another cluster', async () => {
    await merge(of('a'), 'mine');
    const theirs = of('b').replaceAll('demo-admin', 'mine');

    await expect(merge(theirs)).rejects.toThrow(/has the context "mine" of https:\/\/a\.test/);
  });
});

test('without a file it is printed, under the name that is asked for', async () => {
  const context = fakeContext();

  await writeKubeconfig(context, of('a'), { merge: undefined, contextName: 'mine' });

  expect(parseKubeconfig(context.written.stdout)).toMatchObject({
    'current-context': 'mine',
    contexts: [{ name: 'mine', context: { cluster: 'mine', user: 'mine' } }],
  });
});
