import { CLUSTER_LABEL } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { type Logger, silentLogger } from '@fairway/base/log';
import { Informer } from '@fairway/kube/client/informer';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Connection } from '../client/connect.ts';

/** A cluster with its pools and machines at one instant. */
export interface ClusterView {
  readonly cluster: Cluster | undefined;
  readonly pools: readonly NodePool[];
  readonly machines: readonly Machine[];
}

/**
 * Watches a cluster, its pools and its machines. Yields their state, then again after every change; simultaneous
 * changes are coalesced. Waits for a server that is temporarily unavailable. Ends when the signal aborts; throws if the
 * server denies access.
 */
export async function* followCluster(
  { client, namespace }: Connection,
  clusterName: string,
  signal: AbortSignal,
): AsyncGenerator<ClusterView> {
  let wake = Promise.withResolvers<void>();
  const refusal = Promise.withResolvers<never>();
  refusal.promise.catch(() => {});
  const options = { namespace, log: refusalLogger(refusal.reject) };
  const clusterInformer = new Informer(client.resource(clusters), {
    ...options,
    fieldSelector: `metadata.name=${clusterName}`,
  });
  const poolInformer = new Informer(client.resource(nodePools), options);
  const labelSelector = `${CLUSTER_LABEL}=${clusterName}`;
  const machineInformer = new Informer(client.resource(machines), { ...options, labelSelector });
  const informers = [clusterInformer, poolInformer, machineInformer] as readonly Pick<
    Informer<KubeObject>,
    'start' | 'whenSynced'
  >[];
  const stop = new AbortController();
  const end = () => {
    stop.abort();
    wake.resolve();
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const onChange = () => wake.resolve();
    for (const informer of [clusterInformer, poolInformer, machineInformer]) {
      informer.addHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
    }
    for (const informer of informers) informer.start(stop.signal);
    const synced = Promise.all(informers.map((informer) => informer.whenSynced(stop.signal)));
    await Promise.race([synced, refusal.promise]);
    while (!signal.aborted) {
      wake = Promise.withResolvers<void>();
      yield {
        cluster: clusterInformer.list()[0],
        pools: poolInformer.list().filter(({ spec }) => spec.clusterName === clusterName),
        machines: machineInformer.list(),
      };
      await Promise.race([wake.promise, refusal.promise]);
      // One reconcile writes several objects, so several events arrive together.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', end);
    stop.abort();
  }
}

/** An informer retries forever; an authorization error is permanent. */
function refusalLogger(onDenied: (error: unknown) => void): Logger {
  const listen = (fields: object) => {
    if ('err' in fields && isApiError(fields.err, 'Forbidden', 'Unauthorized')) onDenied(fields.err);
  };
  return { ...silentLogger, debug: listen, warn: listen };
}
