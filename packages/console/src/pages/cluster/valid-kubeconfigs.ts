import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Event } from '@fairway/kube/kinds/generated/types';

/** A kubeconfig that Fairway has issued. */
export interface IssuedKubeconfig {
  readonly user: string;
  readonly expiresAt: string;
}

/** The message of the gateway's events. */
const MESSAGE = /^(.+) (?:got|was issued) a kubeconfig that expires at (\S+)$/;

/**
 * Kubeconfigs for the cluster that may still be valid according to events, latest expiry first; excluding those issued
 * before the last revocation.
 */
export function validKubeconfigs(
  events: readonly Event[],
  cluster: Cluster,
  nowMs: number,
): readonly IssuedKubeconfig[] {
  const { uid } = cluster.metadata;
  const revokedMs = Date.parse(cluster.status?.credentials?.revocation?.time ?? '') || 0;
  return events
    .flatMap((event): IssuedKubeconfig[] => {
      if (event.reason !== 'KubeconfigIssued' || event.involvedObject.uid !== uid) return [];
      const [, user, expiresAt] = MESSAGE.exec(event.message ?? '') ?? [];
      const issuedMs = Date.parse(event.lastTimestamp ?? event.metadata.creationTimestamp ?? '');
      if (user === undefined || expiresAt === undefined) return [];
      return Date.parse(expiresAt) > nowMs && !(issuedMs <= revokedMs) ? [{ user, expiresAt }] : [];
    })
    .sort((a, b) => b.expiresAt.localeCompare(a.expiresAt));
}
