import { isOptional } from '@fairway/api/domain/plan-storage';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { CloudObservation } from '../cloud-observation.ts';
import { type Finding, warning } from '../finding.ts';
import { cloudLacks, isMissing } from './cloud-lacks.ts';
import { listed } from './listed.ts';
import { namePromises } from './name-promises.ts';
import type { Promised } from './promised.ts';
import { type StatedLimits, type StoredPlan, VALUE_LIMITS } from './stated-limits.ts';
import { windowPromises } from './window-promises.ts';

/**
 * Warnings about fields of plans that state what the cloud can't provide. A field that is not set is no promise:
 * `proposals` has limits for it. Pure.
 */
export function planFindings(
  cloud: CloudObservation,
  plans: readonly StoredPlan[],
  releases: readonly KubernetesRelease[],
  nowMs: number,
): Finding[] {
  return plans.flatMap((plan) =>
    [
      ...valuePromises(cloud, plan.spec),
      ...providerPromises(cloud, plan.spec),
      ...namePromises(cloud, plan.spec),
      ...classPromises(cloud, plan.spec),
      ...topologyPromises(cloud, plan.spec),
      ...windowPromises(plan, releases, nowMs),
    ].map(({ what, problem, advice }) => warning(`plan ${plan.metadata.name}`, `${what}: ${problem}`, advice)),
  );
}

function valuePromises(cloud: CloudObservation, spec: StatedLimits): Promised[] {
  return cloudLacks(cloud)
    .filter(({ limit, value }) => VALUE_LIMITS[limit].read(spec)?.includes(value))
    .map(({ limit, value, reason, remedy }) => ({
      what: `spec.${limit}: ${value}`,
      problem: reason,
      advice: `remove it from the list, or ${remedy}`,
    }));
}

function providerPromises(cloud: CloudObservation, { services }: StatedLimits): Promised[] {
  const providers = services?.loadBalancerProviders ?? [];
  const limit = 'spec.services.loadBalancerProviders';
  if (providers.length > 0 && isMissing(cloud, 'load-balancer')) {
    const advice = 'remove the list and exclude LoadBalancer from spec.services.types, or install Octavia';
    return [{ what: `${limit}: ${providers.join(', ')}`, problem: 'the cloud has no load balancers', advice }];
  }
  const { loadBalancerProviders: offered } = cloud;
  if ('problem' in offered) return [];
  return providers
    .filter((provider) => !offered.value.includes(provider))
    .map((provider) => ({
      what: `${limit}: ${provider}`,
      problem: `Octavia has ${listed(offered.value)}`,
      advice: 'remove it from the list, or enable the provider',
    }));
}

function classPromises(cloud: CloudObservation, spec: StoredPlan['spec']): Promised[] {
  const promised = (spec.storage?.classes ?? []).filter((each) => !isOptional(each));
  if (isMissing(cloud, 'block-storage')) {
    if (promised.length === 0) return [];
    const what = `spec.storage.classes: ${listed(promised.map(({ name }) => name))}`;
    return [{ what, problem: 'the cloud has no volumes', advice: 'set classes to [], or install Cinder' }];
  }
  const { volumeTypes } = cloud.choices;
  if ('problem' in volumeTypes) return [];
  return promised.flatMap(({ name, volumeType }): Promised[] => {
    if (volumeType === undefined || volumeTypes.value.some((type) => [type.id, type.name].includes(volumeType)))
      return [];
    const types = listed(volumeTypes.value.map((type) => type.name));
    return [
      {
        what: `spec.storage.classes: ${name}: volumeType ${volumeType}`,
        problem: `the cloud has the volume types ${types}, so cinder-csi is Degraded in each cluster`,
        advice: 'correct volumeType, set "optional: true", or create the type',
      },
    ];
  });
}

function topologyPromises(cloud: CloudObservation, { controlPlane, network }: StoredPlan['spec']): Promised[] {
  const { computeZones, externalNetworks } = cloud;
  const promised: Promised[] = [];
  if (network.gatewayRequired && 'value' in externalNetworks && externalNetworks.value.length === 0) {
    promised.push({
      what: 'spec.network.gatewayRequired: true',
      problem: 'the cloud has no external network, so routers have no gateway',
      advice: 'set it to false, or create an external network',
    });
  }
  if (controlPlane.topology === 'MultiZone' && 'value' in computeZones && computeZones.value.length === 1) {
    promised.push({
      what: 'spec.controlPlane.topology: MultiZone',
      problem: `the cloud has one zone, ${computeZones.value[0]}, so nodes are not spread`,
      advice: 'choose SingleZone, or add zones',
    });
  }
  return promised;
}
