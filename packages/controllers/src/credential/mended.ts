import { ConditionType } from '@fairway/api/conditions';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Informer } from '@fairway/kube/client/informer';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition, isConditionTrue } from '@fairway/kube/controller/conditions';
import type { KeyOwner } from '@fairway/kube/controller/key-owner';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';

/** Key of the CloudCredential that a cluster's project is reached with; undefined for the operator's own login. */
export function credentialKeyOf({ metadata, spec }: Cluster): string | undefined {
  return spec.credentialName === undefined ? undefined : `${metadata.namespace}/${spec.credentialName}`;
}

/** Changes when what is known of the credential's use does. */
export function readiness({ status }: CloudCredential): string {
  const ready = findCondition(status?.conditions, ConditionType.Ready);
  return `${ready?.status} ${ready?.reason} ${ready?.message}`;
}

/** Asks clouds again at once for clusters whose credential is said to work again: whoever found out may be another process. */
export function retryMended(dependencies: {
  readonly cache: { readonly clusters: Informer<Cluster>; readonly credentials: Informer<CloudCredential> };
  readonly clouds: ClusterClouds;
  readonly owner: KeyOwner | undefined;
}): void {
  const { cache, clouds, owner } = dependencies;
  const projectsOf = (credentialKey: string) =>
    cache.clusters
      .list()
      .filter((cluster) => credentialKeyOf(cluster) === credentialKey && (owner?.stillMine(keyOf(cluster)) ?? true))
      .map((cluster) => clouds.of(keyOf(cluster), cluster.spec.credentialName));
  cache.credentials.addHandler({
    onUpdate: (old, credential) => {
      const isReady = isConditionTrue(credential.status?.conditions, ConditionType.Ready);
      if (!isReady || readiness(old) === readiness(credential)) return;
      for (const project of new Set(projectsOf(keyOf(credential)))) project?.cache.retryNow();
    },
  });
}
