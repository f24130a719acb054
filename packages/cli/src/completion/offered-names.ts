import { offeredVersions } from '@fairway/api/domain/offered-versions';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { type ReleaseOfPlan, releasesOfPlan } from '@fairway/api/limits/version-window';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';

/** The API's default plan. */
const DEFAULT_PLAN = 'free';

interface OfferRequest {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly cluster: string | undefined;
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

/** Versions for a new or reset cluster: those that the plan, that of the existing cluster or the default plan allows. */
export async function versionsOfPlan(
  plan: string | undefined,
  { client, nowMs, ...where }: OfferRequest,
): Promise<readonly string[]> {
  const { signal } = where;
  const [releases, offered, planOfCluster] = await Promise.all([
    client.resource(kubernetesReleases).list({ signal }),
    client.resource(plans).list({ signal }),
    plan === undefined ? findCluster({ client, ...where }) : undefined,
  ]);
  const name = plan ?? planOfCluster?.spec.plan ?? DEFAULT_PLAN;
  return allowedVersions(
    offered.items.find(({ metadata }) => metadata.name === name),
    releases.items,
    nowMs,
  );
}

/** The versions to which a cluster can be upgraded; empty without a cluster. */
export async function upgradesOfCluster(request: Omit<OfferRequest, 'nowMs'>): Promise<readonly string[]> {
  const { nextUpgradeVersions = [], availablePatch } = (await findCluster(request))?.status ?? {};
  return [...(availablePatch === undefined ? [] : [availablePatch]), ...nextUpgradeVersions];
}

/** The plans whose new clusters can use the version. */
export async function plansWithVersion(
  version: string,
  { client, signal, nowMs }: Pick<OfferRequest, 'client' | 'signal' | 'nowMs'>,
): Promise<readonly string[]> {
  const [releases, offered] = await Promise.all([
    client.resource(kubernetesReleases).list({ signal }),
    client.resource(plans).list({ signal }),
  ]);
  return plansThatAllow(version, offered.items, releases.items, nowMs);
}

/** Minor versions that new clusters of the plan, or any if it is unknown, can use. Pure. */
export function allowedVersions(
  plan: Plan | undefined,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): readonly string[] {
  const usable = offeredVersions(releasesOfPlan(plan, { releases, nowMs }), nowMs).filter(
    ({ problem, phase }) => problem === undefined && (phase === 'Supported' || phase === 'Preview'),
  );
  return [...new Set(usable.map(({ minor }) => minor))];
}

/** Names of the plans that allow the minor or exact version. Pure. */
export function plansThatAllow(
  version: string,
  offered: readonly Plan[],
  releases: readonly KubernetesRelease[],
  nowMs: number,
): readonly string[] {
  const requested = releases.filter(({ spec }) => version === spec.minor || version.startsWith(`${spec.minor}.`));
  return offered.flatMap((plan) => {
    const isRefused = releasesOfPlan(plan, { releases: requested, nowMs }).some((release) => !isAllowed(release));
    return isRefused ? [] : (plan.metadata.name ?? []);
  });
}

function isAllowed({ planProblem }: ReleaseOfPlan): boolean {
  return planProblem === undefined;
}

async function findCluster({
  client,
  namespace,
  cluster,
  signal,
}: Omit<OfferRequest, 'nowMs'>): Promise<Cluster | undefined> {
  if (cluster === undefined) return undefined;
  return client
    .resource(clusters)
    .get(cluster, { namespace, signal })
    .catch((error: unknown) => {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    });
}
