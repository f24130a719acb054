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
  readonly reconciledKeys: string[];
  readonly forgottenOwners: string[];
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
  create: ({ reconciledKeys, forgottenOwners }) => ({
    async reconcile(key) {
      reconciledKeys.push(key);
      return {};
    },
    forget: (matches) => forgottenOwners.push(...['owner-of-a', 'owner-of-b'].filter(matches)),
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
    reconciledKeys: [],
    forgottenOwners: [],
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

test('enqueues keys for watches, indexes and listeners', async () => {
  const { api, shared, settle } = await start();
  api.put('a', { color: 'red' });
  api.put('b', { color: 'red' });
  await settle();
  const first = shared.reconciledKeys.splice(0);
  shared.listener?.('elsewhere');
  await settle();

  expect(new Set(first)).toEqual(new Set(['ns/a', 'ns/b']));
  expect(shared.reconciledKeys).toEqual(['elsewhere']);
});

test('maps keys to owner keys, and calls forget on a handover', async () => {
  const workers: KeyWorker[] = [];
  const checkedKeys: string[] = [];
  const owner: KeyOwner = {
    stillOwns: () => true,
    grant(key) {
      checkedKeys.push(key);
      return { subject: key, isValid: () => true };
    },
    tenure: () => undefined,
    register: (worker) => void workers.push(worker),
  };
  const { api, shared, settle } = await start(owner);
  api.put('a', { color: 'red' });
  await settle();
  for (const worker of workers) await worker.release?.((key) => key === 'owner-of-b');

  expect(checkedKeys).toContain('owner-of-ns/a');
  expect(shared.forgottenOwners).toEqual(['owner-of-b']);
});

test('has no release function if the declaration has no forget function', async () => {
  const controllers = declaredControllers(
    [{ ...declaration, create: () => ({ reconcile: async () => ({}) }) }],
    {
      widgets: new Informer(new KubeClient(new ScriptedApi()).resource(widgetType)),
      reconciledKeys: [],
      forgottenOwners: [],
    },
    { clock: new FakeClock(), random: () => 1, log: silentLogger },
  );

  expect(await controllers[0]?.release(() => true)).toBeUndefined();
});
