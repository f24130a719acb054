import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import { expect, test } from 'vitest';
import { deleteContent } from './namespace-content.ts';

const MEGABYTE = 1_000_000;

/** A namespace with kinds from an API server that returns the same response to each request. */
async function remainingAfter(status: number, body: object) {
  const text = JSON.stringify(body);
  const transport: Transport = {
    request: () => Promise.resolve({ status, headers: {}, text: () => Promise.resolve(text), async *lines() {} }),
    close: () => undefined,
  };
  const resources = Array.from({ length: 30 }, (_, index) => ({
    group: 'example.com',
    version: 'v1',
    plural: `things${index}`,
    kind: 'Thing',
    namespaced: true,
    verbs: ['delete', 'deletecollection', 'list'],
    subresources: [],
  }));
  const discovery = { resources, unavailable: [] };
  return deleteContent(new KubeClient(transport), 'team', discovery, new AbortController().signal);
}

test('limits the reported failures of an API server', async () => {
  const { failures } = await remainingAfter(500, { kind: 'Status', code: 500, message: 'no'.repeat(MEGABYTE) });

  expect(failures.length).toBe(30);
  expect(failures[0]).toMatch(/^unexpected error deleting things0: (?:no)+$/);
  expect(failures.join().length).toBeLessThan(15_000);
});

test('limits the reported finalizers, regardless of their names', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const items = Array.from({ length: 30 }, (_, index) => {
    const finalizers = [`example.com/hold-${index}`, `${index}${'x'.repeat(MEGABYTE / 10)}`];
    return { metadata: { name: `a${index}`, namespace: 'team', deletionTimestamp, finalizers } };
  });
  const { finalizers, objects } = await remainingAfter(200, { metadata: { resourceVersion: '1' }, items });

  expect([finalizers.size, objects.get('things0.example.com')]).toEqual([20, 30]);
  expect(finalizers.get('example.com/hold-0')).toBe(30);
  expect([...finalizers.keys()].join().length).toBeLessThan(20 * 320);
});
