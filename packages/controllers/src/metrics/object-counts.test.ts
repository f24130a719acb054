import { FakeClock } from '@fairway/base/clock-fake';
import { Informer } from '@fairway/kube/client/informer';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { KubeObject } from '@fairway/kube/object/meta';
import { ScriptedApi } from '@fairway/kube/testing/scripted-api';
import { Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { ObjectCounts } from './object-counts.ts';

interface Widget extends KubeObject {
  readonly colour?: string;
}

const widgets = { group: 'test.dev', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };

test('objects are counted by their current labels, and not counted without labels', async () => {
  const api = new ScriptedApi();
  api.put('a', { colour: 'red' });
  api.put('b', { colour: 'red' });
  api.put('c', {});
  const informer = new Informer<Widget>(new KubeClient(api).resource<Widget>(widgets), { clock: new FakeClock() });
  const counts = new ObjectCounts(informer, ({ colour }) => (colour === undefined ? undefined : { colour }));
  const stop = new AbortController();
  informer.start(stop.signal);
  await informer.whenSynced();
  const values = async () => {
    const gauge = new Gauge({ name: 'g', help: 'h', labelNames: ['colour'], registers: [new Registry()] });
    counts.addTo(gauge);
    return Object.fromEntries((await gauge.get()).values.map(({ labels, value }) => [labels.colour, value]));
  };
  expect(await values()).toEqual({ red: 2 });

  const seen = Promise.withResolvers<void>();
  informer.addHandler({ onDelete: () => seen.resolve() });
  api.put('a', { colour: 'blue' });
  api.put('c', { colour: 'blue' });
  api.remove('b');
  await seen.promise;

  expect(await values()).toEqual({ blue: 2 });
  stop.abort();
  await informer.stopped;
});
