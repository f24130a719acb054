import type { Service } from '@fairway/kube/kinds/generated/types';
import { ANNOTATION } from './annotation-names.ts';
import type { BalancingWatch } from './balancing-watch.ts';
import { deleteBalancer } from './change-tree.ts';
import { releaseFloatingIps } from './floating-ip.ts';
import { seeBalancers } from './observation.ts';
import type { ServiceScope } from './service-scope.ts';
import type { TreeMemory } from './tree-memory.ts';

/** Nobody may say anything of a floating IP that is kept but who it was for. */
const MAX_DESCRIPTION = 255;

/**
 * Deletes what Fairway has made for a Service that has no use for it. Returns whether all of it is gone, or when to look again. `service` is undefined if it is gone
 * altogether.
 */
export async function removeBalancer(
  scope: ServiceScope,
  service: Service | undefined,
  { watch, memory }: { readonly watch: BalancingWatch; readonly memory: TreeMemory },
): Promise<{ readonly isGone: boolean; readonly againInMs?: number }> {
  const { cloud, cluster, key } = scope;
  const { present, going } = await seeBalancers(scope);
  for (const { id, provisioning_status: state } of present) {
    // Octavia lets nobody delete what it is at work on.
    if (!state.startsWith('PENDING_')) await deleteBalancer(scope, id, memory);
  }
  const keeps = service?.metadata.annotations?.[ANNOTATION.keepFloatingIP] === 'true';
  const { namespace, name } = service?.metadata ?? {};
  const words = `Floating IP kept of Kubernetes external service ${namespace}/${name} from cluster ${cluster.metadata.name}`;
  await releaseFloatingIps(scope, keeps ? { as: words.slice(0, MAX_DESCRIPTION) } : undefined);
  if (present.length + going > 0) {
    watch.begin(cloud, key);
    watch.expect(
      cloud,
      key,
      present.some(({ provisioning_status: state }) => state.startsWith('PENDING_')) ? 'build' : 'deletion',
    );
    return { isGone: false };
  }
  const waitMs = cloud.trustedFromMs - cloud.now();
  // What an interrupted run has asked for may still appear.
  return waitMs > 0 ? { isGone: false, againInMs: waitMs + 1 } : { isGone: true };
}
