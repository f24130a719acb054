import { createHash } from 'node:crypto';
import { ConditionReason } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { describeQuota, type EffectiveQuota } from '@fairway/api/domain/project-quota';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { Plan } from '@fairway/api/kinds/plan';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, Namespaces } from '@fairway/kube/kinds/resources';
import type { Problem } from '@fairway/tenancy/problem';

/** Key of the comma-separated UIDs in the ConfigMap. */
const CLUSTERS_KEY = 'clusters';

/**
 * Claims one slot of the clusters that the plan allows in a namespace (`maxClusters`), before anything is created for
 * it. Returns the reason if none is left. Rejects with the API's error; a Conflict means that another cluster claimed
 * one in the meantime.
 */
export function claimFromPlan(
  client: KubeClient,
  cluster: Cluster,
  plan: Plan,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const planName = plan.metadata.name ?? '';
  const { namespace = '' } = cluster.metadata;
  return claim(client, cluster, signal, {
    name: claimName(`${namespace}/${planName}`),
    labels: { plan: planName },
    limit: plan.spec.maxClusters,
    isCounted: ({ spec }) => spec.plan === planName,
    refusal: (holders, limit) => {
      const message = `spec.plan: ${planName}: the namespace already has ${pluralize(holders, 'cluster')} on this plan, which allows ${limit}: delete one, or create this one with another plan`;
      return { reason: ConditionReason.PlanLimitExceeded, message };
    },
  });
}

/** Claims one slot of the clusters that the project's quota allows. */
export function claimFromProject(
  client: KubeClient,
  cluster: Cluster,
  { clusters: quota }: EffectiveQuota,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const { namespace = '' } = cluster.metadata;
  return claim(client, cluster, signal, {
    // No plan can have this name.
    name: claimName(`${namespace}/`),
    labels: {},
    limit: quota?.limit,
    isCounted: () => true,
    refusal: (holders) => {
      const words = quota === undefined ? '' : describeQuota('clusters', quota);
      const message = `${words}, and the namespace already has ${pluralize(holders, 'cluster')}: delete one, or ask the operator for a larger quota`;
      return { reason: ConditionReason.ProjectQuotaExceeded, message };
    },
  });
}

interface Claim {
  /** The name of the ConfigMap with all claims. */
  readonly name: string;
  /** Additional data in the ConfigMap, for display. */
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined if unlimited. */
  readonly limit: number | undefined;
  readonly isCounted: (cluster: Cluster) => boolean;
  readonly refusal: (holders: number, limit: number) => Problem;
}

/**
 * Admission checks the same, but a webhook only sees stored objects, so Clusters created concurrently may all pass. The
 * claims for a namespace and limit are in one ConfigMap, which only Fairway writes, so its resource version makes the
 * API server decide between two claims. Claims of deleted clusters are dropped with the next one; clusters that have
 * been provisioned count without a claim.
 */
async function claim(
  client: KubeClient,
  cluster: Cluster,
  signal: AbortSignal,
  { name, labels, limit, isCounted, refusal }: Claim,
): Promise<Problem | undefined> {
  if (limit === undefined || isProvisioned(cluster)) return undefined;
  const { uid = '', namespace = '' } = cluster.metadata;
  const claims = client.resource(ConfigMaps);
  const stored = await undefinedIfNotFound(claims.get(name, { namespace: SYSTEM_NAMESPACE, signal }));
  const claimed = new Set(stored?.data?.[CLUSTERS_KEY]?.split(','));
  if (claimed.has(uid)) return undefined;
  const { items } = await client.resource(clusters).list({ namespace, signal });
  const holders = items
    .filter(isCounted)
    .filter((other) => isProvisioned(other) || claimed.has(other.metadata.uid ?? ''))
    .map(({ metadata }) => metadata.uid ?? '');
  if (holders.length >= limit) return refusal(holders.length, limit);
  const data = { namespace, ...labels, [CLUSTERS_KEY]: [...holders, uid].join(',') };
  if (stored) await claims.update({ ...stored, data }, { signal });
  else await claims.create({ ...(await newClaims(client, name, namespace, signal)), data }, { signal });
  return undefined;
}

/** Whether resources have been created for the cluster; no limit takes them away. */
export function isProvisioned({ status }: Cluster): boolean {
  return status?.network !== undefined || status?.endpoint !== undefined;
}

/** Owned by the tenant's namespace, so that garbage collection deletes it with the namespace. */
async function newClaims(client: KubeClient, name: string, namespace: string, signal: AbortSignal): Promise<ConfigMap> {
  const { metadata } = await client.resource(Namespaces).get(namespace, { signal });
  const owner = { apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: metadata.uid ?? '' };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: SYSTEM_NAMESPACE, ownerReferences: [owner] },
  };
}

/** Namespace and plan together may exceed the maximum length of a name. */
function claimName(what: string): string {
  return `plan-claims-${createHash('sha256').update(what).digest('hex').slice(0, 32)}`;
}
