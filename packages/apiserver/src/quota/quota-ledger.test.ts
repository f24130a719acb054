import type { ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { formatQuantity } from '@fairway/kube/object/quantity';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import { QuotaLedger } from './quota-ledger.ts';

interface Spec {
  readonly cpu?: string;
  readonly phase?: string;
  readonly deadline?: boolean;
}

let store: MemoryStore;
let ledger: QuotaLedger;
let lists: string[];
beforeEach(() => {
  store = new MemoryStore();
  lists = [];
  ledger = new QuotaLedger({
    list(bucket, prefix) {
      lists.push(`${bucket} ${prefix}`);
      return store.list(bucket, prefix);
    },
    follow: (listener) => store.follow(listener),
  });
});
afterEach(async () => {
  ledger.stop();
  await store.close();
});

function write(key: string, spec: Spec | undefined, bucket = 'pods'): Promise<unknown> {
  const [namespace, name] = key.split('/');
  const resources = spec?.cpu === undefined ? {} : { requests: { cpu: spec.cpu } };
  const pod = {
    metadata: { namespace, name },
    spec: { containers: [{ name: 'a', resources }], ...(spec?.deadline && { activeDeadlineSeconds: 5 }) },
    status: { phase: spec?.phase ?? 'Running' },
  };
  const expected = store.get(bucket, key);
  if (spec === undefined && expected === undefined) return Promise.resolve();
  const encode = () => ({ text: JSON.stringify(pod) });
  return store.write({ bucket, key, expected, remove: spec === undefined, encode });
}

function quota(namespace: string, spec: ResourceQuota['spec'] = {}): ResourceQuota {
  return { metadata: { namespace, name: 'quota' }, spec };
}

function used(of: ResourceQuota, ...names: string[]): string[] {
  const totals = ledger.used(of, 'pods');
  return names.map((name) => formatQuantity(totals.get(name) ?? { nanos: 0n, format: 'DecimalSI' }));
}

describe('a quota ledger', () => {
  it('counts existing objects, and tracks changes in the same turn', async () => {
    await write('a/one', { cpu: '100m' });
    const own = quota('a');
    expect(used(own, 'pods', 'requests.cpu')).toEqual(['1', '100m']);

    const second = write('a/two', { cpu: '1' });
    expect(used(own, 'pods', 'requests.cpu')).toEqual(['2', '1100m']);
    await second;
    await write('a/one', { cpu: '250m' });
    expect(used(own, 'requests.cpu')).toEqual(['1250m']);
    await write('a/two', { cpu: '1', phase: 'Succeeded' });
    expect(used(own, 'pods', 'count/pods', 'requests.cpu')).toEqual(['1', '2', '250m']);
    await write('a/two', undefined);
    expect(used(own, 'pods', 'count/pods', 'requests.cpu')).toEqual(['1', '1', '250m']);
    await write('b/other', { cpu: '8' });
    expect(used(own, 'requests.cpu')).toEqual(['250m']);
  });

  it('scans all objects once for any number of queries', async () => {
    for (let index = 0; index < 100; index++) await write(`a/${index}`, { cpu: '10m' });
    for (let index = 0; index < 100; index++) {
      used(quota('a'), 'pods');
      await write(`a/more-${index}`, { cpu: '10m' });
    }
    expect(used(quota('a'), 'pods')).toEqual(['200']);
    expect(lists).toEqual(['pods a/']);
  });

  it('counts by scopes', async () => {
    await write('a/long', { cpu: '1' });
    await write('a/short', { cpu: '1', deadline: true });
    await write('a/idle', {});
    expect(used(quota('a', { scopes: ['Terminating'] }), 'pods')).toEqual(['1']);
    expect(used(quota('a', { scopes: ['NotTerminating', 'NotBestEffort'] }), 'pods')).toEqual(['1']);
    expect(used(quota('a', { scopes: ['BestEffort'] }), 'pods')).toEqual(['1']);
    await write('a/idle', { cpu: '1' });
    expect(used(quota('a', { scopes: ['BestEffort'] }), 'pods')).toEqual(['0']);
  });

  it('drops its counts with the last quota, and continues counting for other quotas', async () => {
    await write('a/quota', {}, 'resourcequotas');
    await write('a/one', {});
    expect(used(quota('a'), 'pods')).toEqual(['1']);
    await write('a/quota', undefined, 'resourcequotas');
    await write('a/two', {});
    expect(used(quota('a'), 'pods')).toEqual(['2']);
    expect(lists).toEqual(['pods a/', 'pods a/']);
  });

  it('always equals a fresh count', async () => {
    const steps = fc.array(
      fc.record({
        key: fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1'),
        spec: fc.option(
          fc.record({
            cpu: fc.constantFrom('1', '100m', '0.5'),
            phase: fc.constantFrom('Running', 'Failed'),
            deadline: fc.boolean(),
          }),
          { nil: undefined },
        ),
      }),
      { maxLength: 20 },
    );
    const quotas = [quota('a'), quota('a', { scopes: ['Terminating'] }), quota('b')];
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        for (const { key, spec } of all) {
          await write(key, spec);
          const fresh = new QuotaLedger(store);
          for (const one of quotas) {
            for (const name of ['pods', 'count/pods', 'requests.cpu']) {
              const nanos = fresh.used(one, 'pods').get(name)?.nanos ?? 0n;
              expect(ledger.used(one, 'pods').get(name)?.nanos ?? 0n).toBe(nanos);
            }
          }
          fresh.stop();
        }
      }),
    );
  });
});
