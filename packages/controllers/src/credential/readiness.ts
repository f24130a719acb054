import { ConditionType } from '@fairway/api/conditions';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition, isConditionTrue } from '@fairway/kube/controller/conditions';
import { clustersByCredential } from '@fairway/tenancy/cache-indexes';
import type { ControllerDependencies } from '../dependencies.ts';

/** Changes when the usability of the credential changes. */
function readiness({ status }: CloudCredential): string {
  const ready = findCondition(status?.conditions, ConditionType.Ready);
  return `${ready?.status} ${ready?.reason} ${ready?.message}`;
}

/** Changes when clusters must change their report about the credential. */
export function usageFingerprint(credential: CloudCredential): string {
  return `${readiness(credential)} ${findCondition(credential.status?.conditions, ConditionType.ExpiresSoon)?.message}`;
}

/** Retries immediately for clusters whose credential became ready again, possibly as observed by another process. */
export function retryWhenReady({
  cache,
  clouds,
  owner,
}: Pick<ControllerDependencies, 'cache' | 'clouds' | 'owner'>): void {
  const projectsOf = (credentialKey: string) =>
    cache.clusters
      .find(clustersByCredential, credentialKey)
      .filter((cluster) => owner?.stillOwns(keyOf(cluster)) ?? true)
      .map((cluster) => clouds.of(keyOf(cluster), cluster.spec.credentialName));
  cache.credentials.addHandler({
    onUpdate: (old, credential) => {
      const isReady = isConditionTrue(credential.status?.conditions, ConditionType.Ready);
      if (!isReady || readiness(old) === readiness(credential)) return;
      for (const project of new Set(projectsOf(keyOf(credential)))) project?.retryNow();
    },
  });
}
