import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { Informer } from '@fairway/kube/client/informer';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { ScriptedApi } from '@fairway/kube/testing/scripted-api';
import { describe, expect, test } from 'vitest';
import type { ControllerDependencies } from './dependencies.ts';
import { CONTROLLERS } from './start.ts';

const client = new KubeClient(new ScriptedApi());
const informer = <T extends KubeObject>(type: ResourceType<T>) => new Informer(client.resource(type));
const cache: ControllerDependencies['cache'] = {
  clusters: informer(clusters),
  nodePools: informer(nodePools),
  machines: informer(machines),
  credentials: informer(cloudCredentials),
  plans: informer(plans),
  releases: informer(kubernetesReleases),
};
// Only caches are watched and indexed; nothing else is accessed before a controller is created.
const shared = { cache, informers: new InformerSet(client) } as ControllerDependencies;

describe.each(CONTROLLERS)('controller $name', ({ rights, watches }) => {
  test('declares the permission to read what it watches', () => {
    const readable = rights
      .filter(({ subresource, verbs }) => subresource === undefined && verbs.includes('watch'))
      .map(({ type }) => type.plural);

    expect(readable).toEqual(expect.arrayContaining(watches(shared).map(({ type }) => type.plural)));
  });
});
