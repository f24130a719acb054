import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { afterEach, expect, test } from 'vitest';
import { Informer } from '../client/informer.ts';
import { KubeClient } from '../client/kube-client.ts';
import type { CacheIndex } from '../client/object-cache.ts';
import { keyOf } from '../client/object-key.ts';
import type { KubeObject, ResourceType } from '../object/meta.ts';
import { ScriptedApi } from '../testing/scripted-api.ts';
import { type ControllerDeclaration, declaredControllers, indexOn, watch } from './declaration.ts';
import type { KeyOwner, KeyWorker } from './key-owner.ts';

interface Widget extends KubeObject {
  color?: string;
}

interface Shared {
  readonly widgets: Informer<Widget>;
  readonly ran: string[];
  readonly forgotten: string[];
  listener?: (name: string) => void;
}

const widgetType: ResourceType<Widget> = {
  group: '',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

const byColor: CacheIndex<Widget> = { name: 'color', valuesOf: ({ color }) => (color ? [color] : []) };

/** Reconciles a widget when it or one of its colors changes, or when its name is emitted. */
const declaration: ControllerDeclaration<Shared> = {
  name: 'widget',
  concurrency: 3,
  rights: [{ type: widgetType, verbs: ['get'] }],
  indexes: ({ widgets }) => [indexOn(widgets, byColor)],
  watches: ({ widgets }) => [watch(widgets, ({ color = '' }) => widgets.find(byColor, color).map(keyOf))],
  ownerKey: (key, { widgets }) => widgets.get(key) && `owner-of-${key}`,
  create: ({ ran, forgotten }) => ({
    async reconcile(key) {
      ran.push(key);
      return {};
    },
    forget: (isMatching) => forgotten.push(...['owner-of-a', 'owner-of-b'].filter(isMatching)),
  }),
  listen(enqueue, shared) {
    shared.listener = enqueue;
  },
};

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function start(owner?: KeyOwner) {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const shared: Shared = {
    widgets: new Informer(new KubeClient(api).resource(widgetType), { clock, random: () => 1 }),
    ran: [],
    forgotten: [],
  };
  const options = { clock, random: () => 1, log: silentLogger, owner };
  const [controller] = declaredControllers([declaration], shared, options);
  if (controller === undefined) throw new Error('no controller was created');
  const stop = new AbortController();
  stops.push(stop);
  shared.widgets.start(stop.signal);
  controller.start(stop.signal);
  const settle = async () => {
    await clock.advance(0);
    await controller.idle();
  };
  await settle();
  return { api, controller, shared, settle };
}

test('watches, indexes and listeners enqueue keys', async () => {
  const { api, shared, settle } = await start();
  api.put('a', { color: 'red' });
  api.put('b', { color: 'red' });
  await settle();
  const first = shared.ran.splice(0);
  shared.listener?.('elsewhere');
  await settle();

  expect(new Set(first)).toEqual(new Set(['ns/a', 'ns/b']));
  expect(shared.ran).toEqual(['elsewhere']);
});

test('keys map to owner keys, and a handover calls forget', async () => {
  const workers: KeyWorker[] = [];
  const asked: string[] = [];
  const owner: KeyOwner = {
    stillMine: () => true,
    grant(key) {
      asked.push(key);
      return { subject: key, isValid: () => true };
    },
    tenure: () => undefined,
    register: (worker) => void workers.push(worker),
  };
  const { api, shared, settle } = await start(owner);
  api.put('a', { color: 'red' });
  await settle();
  for (const worker of workers) await worker.release?.((key) => key === 'owner-of-b');

  expect(asked).toContain('owner-of-ns/a');
  expect(shared.forgotten).toEqual(['owner-of-b']);
});

test('a declaration without forget has no release', async () => {
  const controllers = declaredControllers(
    [{ ...declaration, create: () => ({ reconcile: async () => ({}) }) }],
    {
      widgets: new Informer(new KubeClient(new ScriptedApi()).resource(widgetType)),
      ran: [],
      forgotten: [],
    },
    { clock: new FakeClock(), random: () => 1, log: silentLogger },
  );

  expect(await controllers[0]?.release(() => true)).toBeUndefined();
});
