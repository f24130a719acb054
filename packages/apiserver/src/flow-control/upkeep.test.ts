import type { Clock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { FlowSchema } from '@fairway/kube/kinds/generated/types';
import { FlowSchemas, PriorityLevelConfigurations } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverOfKinds } from '../kinds/testing/kinds-server.ts';
import type { TestServer } from '../server/test-server.ts';
import { MAX_COST } from './compile-schemas.ts';
import { MANDATORY_OBJECTS, SUGGESTED_OBJECTS } from './standard-objects.ts';
import { flowControlUpkeep } from './upkeep.ts';
import { AUTOUPDATE } from './upkeep-steps.ts';

let server: TestServer;
let client: KubeClient;
let stop: AbortController;
beforeEach(async () => {
  server = await serverOfKinds();
  client = new KubeClient(server.transport, { clock: server.clock });
  stop = new AbortController();
  const { reader } = server.server;
  const { store, clock } = server;
  const upkeep = flowControlUpkeep({ client, reader, store, clock, random: () => 0.5, log: silentLogger });
  upkeep.start(stop.signal);
  await settle();
});
afterEach(() => stop.abort());

const settle = () => server.clock.advance(100);
const schemas = () => client.resource(FlowSchemas);
const levels = () => client.resource(PriorityLevelConfigurations);

function patch(plural: 'flowschemas' | 'prioritylevelconfigurations', name: string, value: object) {
  const headers = { 'content-type': 'application/merge-patch+json' };
  return server.call('PATCH', `/apis/flowcontrol.apiserver.k8s.io/v1/${plural}/${name}`, value, headers);
}

function userSchema(name: string, spec: Partial<FlowSchema['spec']> = {}): FlowSchema {
  return {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: 'workload-low' },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name } }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
      ...spec,
    },
  };
}

describe('flow-control upkeep', () => {
  it('creates the standard objects, and only once', async () => {
    const names = (await schemas().list()).items.map(({ metadata }) => metadata.name);
    const previous = server.store.revision;
    await server.clock.advance(3_600_000);

    expect(names).toHaveLength(MANDATORY_OBJECTS.flowSchemas.length + SUGGESTED_OBJECTS.flowSchemas.length);
    expect((await levels().list()).items).toHaveLength(8);
    expect(server.store.revision).toBe(previous);
    expect(server.clock.pendingTimers).toBe(0);
  });

  it('restores deleted objects', async () => {
    for (const name of ['exempt', 'catch-all', 'probes']) await schemas().delete(name);
    await levels().delete('global-default');
    await settle();

    for (const name of ['exempt', 'catch-all', 'probes', 'global-default']) {
      expect((await schemas().get(name)).status?.conditions?.[0]).toMatchObject({ type: 'Dangling', status: 'False' });
    }
    expect((await levels().get('global-default')).metadata.annotations?.[AUTOUPDATE]).toBe('true');
  });

  it('leaves a suggested object to a user who claims it, and restores the others', async () => {
    await patch('flowschemas', 'probes', {
      spec: { matchingPrecedence: 7 },
      metadata: { annotations: { [AUTOUPDATE]: 'false' } },
    });
    await patch('flowschemas', 'global-default', { spec: { matchingPrecedence: 9000 } });
    await patch('prioritylevelconfigurations', 'exempt', { spec: { exempt: { nominalConcurrencyShares: 5 } } });
    await patch('flowschemas', 'catch-all', { metadata: { annotations: { [AUTOUPDATE]: 'false' } } });
    await settle();

    expect((await schemas().get('probes')).spec.matchingPrecedence).toBe(7);
    expect((await schemas().get('global-default')).spec.matchingPrecedence).toBe(9900);
    expect((await levels().get('exempt')).spec.exempt?.nominalConcurrencyShares).toBe(5);
    expect((await schemas().get('catch-all')).metadata.annotations?.[AUTOUPDATE]).toBe('true');
  });

  it.each([
    { what: 'untouched', change: {}, is: 'true' },
    { what: 'changed by a user', change: { spec: { matchingPrecedence: 8999 } }, is: 'false' },
  ])('sets autoupdate to $is on an older object that is $what', async ({ change, is }) => {
    stop.abort();
    await patch('flowschemas', 'service-accounts', { metadata: { annotations: { [AUTOUPDATE]: null } }, ...change });
    const { reader } = server.server;
    const { store, clock } = server;
    const again = new AbortController();
    const upkeep = flowControlUpkeep({ client, reader, store, clock, random: () => 0.5, log: silentLogger });
    upkeep.start(again.signal);
    await settle();
    again.abort();

    expect((await schemas().get('service-accounts')).metadata.annotations?.[AUTOUPDATE]).toBe(is);
  });

  it('removes standard objects from earlier versions, but not user objects', async () => {
    const old = userSchema('former');
    await schemas().create({ ...old, metadata: { ...old.metadata, annotations: { [AUTOUPDATE]: 'true' } } });
    await schemas().create(userSchema('mine'));
    await settle();
    const names = (await schemas().list()).items.map(({ metadata }) => metadata.name);

    expect(names).toContain('mine');
    expect(names).not.toContain('former');
  });

  it('reports ignored schemas for as long as they are ignored', async () => {
    const subjects = Array.from({ length: MAX_COST }, () => ({ kind: 'Group', group: { name: 'huge' } }));
    const rules = [{ subjects, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];
    await schemas().create(userSchema('huge', { matchingPrecedence: 50, rules }));
    await settle();
    const types = async () => (await schemas().get('huge')).status?.conditions?.map(({ type }) => type);

    expect(await types()).toEqual(['Dangling', 'Ignored']);
    await patch('flowschemas', 'huge', { spec: userSchema('huge').spec });
    await settle();
    expect(await types()).toEqual(['Dangling']);
  });

  it('uses at most a twentieth of the time, regardless of the number of changes', async () => {
    stop.abort();
    stop = new AbortController();
    const { clock, store } = server;
    let checks = 0;
    let spentMs = 0;
    const { reader } = server.server;
    const slow: typeof reader = {
      get: (type, namespace, name) => reader.get(type, namespace, name),
      revisionOf: (type) => reader.revisionOf(type),
      list(type, namespace) {
        checks++;
        spentMs += 10;
        return reader.list(type, namespace);
      },
    };
    const slowClock: Clock = {
      now: () => clock.now() + spentMs,
      after: (ms, callback) => clock.after(ms, callback),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    const options = { client, reader: slow, store, clock: slowClock, random: () => 0.5, log: silentLogger };
    flowControlUpkeep(options).start(stop.signal);
    for (let time = 0; time < 100; time++) {
      await patch('flowschemas', 'probes', { metadata: { labels: { time: `${time}` } } });
      await clock.advance(20);
    }

    // A check lists both kinds and takes 20 ms, during two seconds of changes.
    expect(checks).toBeGreaterThan(4);
    expect(checks).toBeLessThan(20);
    await schemas().delete('probes');
    await clock.advance(1000);
    await schemas().get('probes');
  });

  it('reverts an object at most six times a minute, even if a client keeps changing it', async () => {
    const status = { conditions: [{ type: 'Dangling', status: 'Unknown' }] };
    const { metadata } = await schemas().get('probes');
    const fight = server.store.subscribe((changes) => {
      const isForeign = changes.some(({ entry }) => entry.key === 'probes' && entry.text.includes('"Found"'));
      if (isForeign)
        void schemas().apply({ metadata: { name: 'probes' }, status } as FlowSchema, {
          fieldManager: 'me',
          force: true,
          subresource: 'status',
        });
    });
    await patch('flowschemas', 'probes', { metadata: { labels: { a: 'b' } } });
    await server.clock.advance(600_000);
    fight();

    const writes = Number((await schemas().get('probes')).metadata.resourceVersion) - Number(metadata.resourceVersion);
    // Ten minutes with six writes each, each write followed by one from the client.
    expect(writes).toBeGreaterThan(20);
    expect(writes).toBeLessThan(140);
  });
});
