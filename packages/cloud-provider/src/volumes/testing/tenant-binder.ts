import { silentLogger } from '@fairway/base/log';
import type { TestFairway } from '@fairway/controllers/testing/test-fairway';
import type { ControllerContext } from '@fairway/hollow/controllers/context';
import { volumeProtection } from '@fairway/hollow/controllers/storage/protection';
import { volumeBinder } from '@fairway/hollow/controllers/storage/volume-binder';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { EventRecorder } from '@fairway/kube/events/recorder';

/**
 * Runs Kubernetes' volume controllers, except for a provisioner, in a cluster whose control plane is only an API
 * server. Returns a function that stops them.
 */
export function bindVolumes(fairway: TestFairway, clusterUid: string): () => void {
  const { clock } = fairway;
  const client = fairway.runtime.client(clusterUid);
  const random = () => 0.5;
  const informers = new InformerSet(client, { clock, random });
  const events = (component: string) => new EventRecorder(client, { component, clock, random });
  // The part of the context that these two controllers use.
  const context = { client, informers, events, clock, random, log: silentLogger } as unknown as ControllerContext;
  const stop = new AbortController();
  for (const controller of [volumeBinder(context), volumeProtection(context)]) controller.start(stop.signal);
  informers.start(stop.signal);
  return () => stop.abort();
}
