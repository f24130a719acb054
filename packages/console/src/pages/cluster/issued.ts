import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Event } from '@fairway/kube/kinds/generated/types';

/** A kubeconfig that Fairway has handed out. */
export interface Issued {
  readonly user: string;
  readonly expiresAt: string;
}

/** As the gateway tells it. */
const MESSAGE = /^(.+) (?:got|was issued) a kubeconfig that expires at (\S+)$/;

/** Kubeconfigs of the cluster that may still be valid, the last to end first, as far as events tell of them: not those from before the last revocation. */
export function validKubeconfigs(events: readonly Event[], cluster: Cluster, nowMs: number): readonly Issued[] {
  const { uid } = cluster.metadata;
  const revokedMs = Date.parse(cluster.status?.credentials?.revocation?.time ?? '') || 0;
  return events
    .flatMap((event): Issued[] => {
      if (event.reason !== 'KubeconfigIssued' || event.involvedObject.uid !== uid) return [];
      const [, user, expiresAt] = MESSAGE.exec(event.message ?? '') ?? [];
      const issuedMs = Date.parse(event.lastTimestamp ?? event.metadata.creationTimestamp ?? '');
      if (user === undefined || expiresAt === undefined) return [];
      return Date.parse(expiresAt) > nowMs && !(issuedMs <= revokedMs) ? [{ user, expiresAt }] : [];
    })
    .sort((a, b) => b.expiresAt.localeCompare(a.expiresAt));
}
