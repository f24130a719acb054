import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { type ReleaseOfPlan, releasesOfPlan } from '@fairway/api/limits/version-window';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { stableUuid } from '../stable-uuid.ts';
import { networkDriverOf } from './network-drivers.ts';
import { DEFAULT_IMAGE, type Template } from './template.ts';

/**
 * Public templates, one for each combination of plan and minor version. A template's UUID does not depend on the newest
 * patch. Pure.
 */
export function operatorTemplates(
  offeredPlans: readonly Plan[],
  releases: readonly KubernetesRelease[],
  nowMs: number,
): readonly Template[] {
  return offeredPlans.flatMap((plan) =>
    releasesOfPlan(plan, { releases, nowMs }).flatMap((release) => templateOf(plan, release)),
  );
}

function templateOf(plan: Plan, { metadata, spec, status, planProblem }: ReleaseOfPlan): Template[] {
  const newest = status?.newest;
  if (newest === undefined) return [];
  const { name: planName = '' } = plan.metadata;
  const phase = status?.phase;
  // Versions that new clusters cannot use are still the templates of existing clusters.
  const hidden =
    phase === 'EndOfLife' ||
    phase === 'Deprecated' ||
    planProblem !== undefined ||
    !isConditionTrue(plan.status?.conditions, 'Ready');
  const { allowed, cni } = plan.spec;
  const singleName = (names: readonly string[] | undefined) =>
    names?.length === 1 && !names[0]?.includes('*') ? names[0] : undefined;
  return [
    {
      uuid: operatorTemplateUuid(planName, spec.minor),
      name: `k8s-${spec.minor}-${planName}`,
      fields: {
        name: `k8s-${spec.minor}-${planName}`,
        coe: 'kubernetes',
        image_id: singleName(allowed?.images) ?? DEFAULT_IMAGE,
        flavor_id: singleName(allowed?.flavors),
        network_driver: networkDriverOf(cni.default),
        labels: { kube_tag: `v${newest}`, fairway_plan: planName },
        public: true,
        hidden,
        master_lb_enabled: true,
        floating_ip_enabled: false,
      },
      offer: { plan: planName, minor: spec.minor, planProblem },
      configMap: undefined,
      projectId: '',
      userId: '',
      createdAt: metadata.creationTimestamp ?? '',
      updatedAt: undefined,
    },
  ];
}

export function operatorTemplateUuid(plan: string, minor: string): string {
  return stableUuid(`clustertemplate/${plan}/${minor}`);
}

export interface Catalogue {
  readonly plans: readonly Plan[];
  readonly templates: readonly Template[];
}

/** Uses the permissions of `client`: every user may read the catalogue. */
export async function readCatalogue(client: KubeClient, nowMs: number): Promise<Catalogue> {
  const [offeredPlans, releases] = await Promise.all([
    client.resource(plans).list(),
    client.resource(kubernetesReleases).list(),
  ]);
  return { plans: offeredPlans.items, templates: operatorTemplates(offeredPlans.items, releases.items, nowMs) };
}
