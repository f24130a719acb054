import { FakeClock } from '@fairway/base/clock-fake';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../object/api-error.ts';
import type { KubeObject, ResourceType } from '../object/meta.ts';
import { ScriptedApi } from '../testing/scripted-api.ts';
import { Informer } from './informer.ts';
import { KubeClient } from './kube-client.ts';
import { TransportError } from './transport.ts';

const widgets: ResourceType = { group: '', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const write = fc.record({ kind: fc.constantFrom('put' as const, 'remove' as const), name: names });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('outage' as const),
      writes: fc.array(write, { minLength: 1, maxLength: 6 }),
      isCompacted: fc.boolean(),
      ms: fc.constantFrom(50, 5_000),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), name: names }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), name: names }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('break' as const), how: fc.constantFrom('reset', 'end') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fail' as const), code: fc.constantFrom(0, 410, 429, 500) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bookmark' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 50, 2_000, 400_000) }),
  },
);

function failureOf(code: number): Error {
  return code === 0 ? new TransportError('reset') : new ApiError(code, 'Unknown', `failed with ${code}`);
}

/** The objects as a handler sees them through adds, updates and deletes alone. */
class CacheModel {
  readonly uids = new Map<string, string>();
  readonly inconsistencies: string[] = [];

  onAdd({ metadata }: KubeObject): void {
    if (this.uids.has(`${metadata.name}`)) this.inconsistencies.push(`${metadata.name} added twice`);
    this.uids.set(`${metadata.name}`, `${metadata.uid}`);
  }

  onUpdate(old: KubeObject, { metadata }: KubeObject): void {
    const isSame = old.metadata.uid === metadata.uid && this.uids.get(`${metadata.name}`) === metadata.uid;
    if (!isSame) this.inconsistencies.push(`${metadata.name} updated into another object`);
  }

  onDelete({ metadata }: KubeObject): void {
    if (this.uids.get(`${metadata.name}`) !== metadata.uid)
      this.inconsistencies.push(`${metadata.name} deleted, was not there`);
    this.uids.delete(`${metadata.name}`);
  }
}

test('an informer converges to the server’s state after any sequence of writes, disconnects and failures', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.constantFrom(1, 2, 500),
      async (steps, pageSize) => {
        const api = new ScriptedApi();
        const clock = new FakeClock();
        const client = new KubeClient(api, { clock }).resource(widgets);
        const informer = new Informer(client, {
          clock,
          random: () => 0.5,
          pageSize,
          indexes: { color: (object) => [String((object as { color?: string }).color)] },
        });
        const model = new CacheModel();
        informer.addHandler({
          onAdd: (object) => model.onAdd(object),
          onUpdate: (old, object) => model.onUpdate(old, object),
          onDelete: (old) => model.onDelete(old),
        });
        const stop = new AbortController();
        informer.start(stop.signal);
        const perform = ({ kind, name }: { readonly kind: 'put' | 'remove'; readonly name: string }) => {
          if (kind === 'put') api.put(name, { color: String(api.revision % 3) });
          else if (api.names().includes(name)) api.remove(name);
        };
        for (const action of steps) {
          switch (action.kind) {
            case 'put':
            case 'remove':
              perform(action);
              break;
            case 'outage':
              api.breakWatches();
              action.writes.forEach(perform);
              if (action.isCompacted) api.compact();
              await clock.advance(action.ms);
              break;
            case 'break':
              api.breakWatches(action.how === 'end' ? 'end' : 'reset');
              break;
            case 'fail':
              api.failNext(failureOf(action.code));
              break;
            case 'compact':
              api.compact();
              break;
            case 'bookmark':
              api.bookmark();
              break;
            case 'wait':
              await clock.advance(action.ms);
              break;
          }
        }
        await clock.advance(600_000);
        const listed = (await client.list()).items;
        stop.abort();
        await informer.stopped;

        const byName = (objects: readonly KubeObject[]) =>
          objects.map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`).sort();
        expect(byName(informer.list())).toEqual(byName(listed));
        expect(byName(['0', '1', '2'].flatMap((color) => informer.byIndex('color', color)))).toEqual(byName(listed));
        expect(model.inconsistencies).toEqual([]);
        expect([...model.uids.keys()].sort()).toEqual(api.names());
        expect(clock.pendingTimers).toBe(0);
      },
    ),
    { numRuns: 150 },
  );
});
