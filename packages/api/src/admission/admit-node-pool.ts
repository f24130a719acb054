import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import { kubeletErrors } from '../domain/kubelet-settings.ts';
import { nodeTemplateErrors } from '../domain/node-metadata.ts';
import { sumOfReplicas } from '../domain/plan-limits.ts';
import { pluralize } from '../domain/pluralize.ts';
import type { EffectiveQuota } from '../domain/project-quota.ts';
import { sizeProblem } from '../domain/reserved-resources.ts';
import { serverLabelErrors } from '../domain/server-labels.ts';
import { suggest } from '../domain/suggest.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import { applyLimitNotes, limitError } from '../limits/notes.ts';
import { autoscalingWarnings } from './autoscaling-warnings.ts';
import type { CatalogueFlavor, CatalogueSubnet, CloudCatalogue } from './cloud-catalogue.ts';
import { floatingIpRouterErrors } from './cluster-gateway.ts';
import { imageSizeErrors } from './image-size.ts';
import { poolCapacityErrors } from './node-capacity-errors.ts';
import { poolAllowanceErrors } from './plan-allowance.ts';
import { poolNetworkErrors } from './pool-networks.ts';
import { quotaWarnings } from './pool-quota.ts';
import { securityGroupErrors } from './pool-security-groups.ts';
import { poolQuotaErrors } from './project-quota.ts';
import { findByIdOrName, notFoundError } from './references.ts';

/** A NodePool to store, and the facts to validate it against. */
export interface NodePoolAdmission {
  readonly pool: NodePool;
  /** The stored object; undefined on create. */
  readonly old: NodePool | undefined;
  /** The clusters in the namespace. */
  readonly clusters: readonly Cluster[];
  /** The other pools in the namespace. */
  readonly others: readonly NodePool[];
  readonly plans: readonly Plan[];
  readonly catalogue: CloudCatalogue;
  /** The namespace's quota; unlimited by default. */
  readonly quota?: EffectiveQuota;
  readonly nowMs: number;
}

type NodePoolLimits = Omit<NodePoolAdmission, 'catalogue' | 'quota' | 'nowMs'>;

/** Validates a NodePool against its cluster, its plan and the cloud. A stored value is not rejected again. */
export function admitNodePool(admission: NodePoolAdmission): readonly FieldError[] {
  const plan = planOf(admission);
  const errors = poolErrors(admission);
  return plan ? applyLimitNotes(errors, plan, admission.nowMs).errors : errors;
}

function planOf({ pool, clusters, plans }: NodePoolAdmission): Plan | undefined {
  const cluster = clusters.find(({ metadata }) => metadata.name === pool.spec.clusterName);
  return cluster && plans.find(({ metadata }) => metadata.name === cluster.spec.plan);
}

function poolErrors(admission: NodePoolAdmission): FieldError[] {
  const { pool, clusters } = admission;
  const cluster = clusters.find(({ metadata }) => metadata.name === pool.spec.clusterName);
  const plan = planOf(admission);
  return [
    ...nodeTemplateErrors(pool.spec.template, 'spec.template'),
    ...serverLabelErrors(pool.spec),
    ...settingsErrors(admission),
    ...nodePoolLimitErrors(admission, admission.catalogue.subnets),
    ...poolQuotaErrors({ ...admission, quota: admission.quota ?? {}, flavors: admission.catalogue.flavors }),
    ...(cluster ? floatingIpRouterErrors(pool, admission.old, cluster, admission.catalogue) : []),
    ...poolNetworkErrors({ ...admission, cluster, plan }),
    ...machineErrors(admission, cluster, plan),
    ...(plan ? poolAllowanceErrors({ ...admission, plan }) : []),
    ...zoneErrors(admission),
    ...securityGroupErrors(pool, admission.old, cluster, admission.catalogue),
  ];
}

/** Validates a pool against its cluster, the plan's limits and the available addresses, considering the other pools and the cloud's known subnets. */
export function nodePoolLimitErrors(limits: NodePoolLimits, subnets?: readonly CatalogueSubnet[]): FieldError[] {
  const cluster = limits.clusters.find(({ metadata }) => metadata.name === limits.pool.spec.clusterName);
  if (cluster === undefined) return [];
  const plan = limits.plans.find(({ metadata }) => metadata.name === cluster.spec.plan);
  const tooMany = plan ? [...maxNodesErrors(limits, plan), ...scheduleErrors(limits, plan)] : [];
  if (plan && tooMany.length === 0) tooMany.push(...poolCapacityErrors({ ...limits, cluster, plan, subnets }));
  return [...clusterErrors(limits, cluster), ...tooMany, ...floatingIpErrors(limits, cluster)];
}

/** Validates the kubelet settings, and validates them again if the flavor or the root volume changes. */
function settingsErrors({ pool, old, catalogue }: NodePoolAdmission): FieldError[] {
  const { kubelet, flavor: name, rootVolume } = pool.spec;
  const isOld =
    old && isDeepStrictEqual([kubelet, name, rootVolume], [old.spec.kubelet, old.spec.flavor, old.spec.rootVolume]);
  if (kubelet === undefined || isOld) return [];
  const flavor = catalogue.flavors && findByIdOrName(catalogue.flavors, name);
  return kubeletErrors(kubelet, flavor && { ...flavor, diskGiB: rootVolume?.sizeGiB ?? flavor.diskGiB });
}

/**
 * A missing cluster is not an error: objects may be applied in any order, and in a dry run of both neither is stored.
 */
function clusterErrors({ pool, old }: NodePoolLimits, cluster: Cluster): FieldError[] {
  if (old !== undefined || cluster.metadata.deletionTimestamp === undefined) return [];
  const value = pool.spec.clusterName;
  return [{ type: 'FieldValueInvalid', field: 'spec.clusterName', value, detail: 'the cluster is being deleted' }];
}

function clusterWarnings({ pool, old, clusters }: NodePoolAdmission): string[] {
  const { clusterName } = pool.spec;
  if (old !== undefined || clusters.some(({ metadata }) => metadata.name === clusterName)) return [];
  const hint = suggest(clusterName, clusters.map(({ metadata }) => metadata.name ?? '').sort());
  return [
    `spec.clusterName: the namespace has no cluster "${clusterName}" yet: the pool waits for it${hint === '' ? '' : `; ${hint}`}`,
  ];
}

/** The plan's limit applies to the replicas requested, not to the autoscaling maximum. */
function maxNodesErrors({ pool, old, others }: NodePoolLimits, plan: Plan): FieldError[] {
  if (pool.spec.replicas <= (old?.spec.replicas ?? 0)) return [];
  const elsewhere = sumOfReplicas(
    others.filter(
      ({ spec, metadata }) => spec.clusterName === pool.spec.clusterName && metadata.name !== pool.metadata.name,
    ),
  );
  const { maxNodes } = plan.spec;
  if (elsewhere + pool.spec.replicas <= maxNodes) return [];
  const left = Math.max(0, maxNodes - elsewhere);
  const limitDetail = `plan "${plan.metadata.name}" allows ${pluralize(maxNodes, 'node')} per cluster`;
  const detail =
    elsewhere === 0
      ? `${limitDetail}: must be at most ${left}`
      : `${limitDetail}, and the other pools of the cluster have ${elsewhere}: must be at most ${left}, or scale down those pools`;
  const value = pool.spec.replicas;
  return [limitError('maxNodes', { type: 'FieldValueInvalid', field: 'spec.replicas', value, detail })];
}

/** Rejects a minReplicas above the plan's limit, which no cluster could ever reach. */
function scheduleErrors({ pool, old }: NodePoolLimits, plan: Plan): FieldError[] {
  const { maxNodes } = plan.spec;
  const known = old?.spec.autoscaling.schedules ?? [];
  return (pool.spec.autoscaling.schedules ?? []).flatMap(({ name, minReplicas = 0 }, index): FieldError[] => {
    if (minReplicas <= maxNodes || known.some((each) => each.name === name && each.minReplicas === minReplicas))
      return [];
    const field = `spec.autoscaling.schedules[${index}].minReplicas`;
    const detail = `plan "${plan.metadata.name}" allows ${pluralize(maxNodes, 'node')} per cluster: lower it`;
    return [limitError('maxNodes', { type: 'FieldValueInvalid', field, value: minReplicas, detail })];
  });
}

function floatingIpErrors({ pool, old }: NodePoolLimits, cluster: Cluster): FieldError[] {
  const { mode } = cluster.spec.network.gateway;
  if (!pool.spec.floatingIPs.enabled || old?.spec.floatingIPs.enabled || mode === 'Router') return [];
  const detail = `floating IPs need a router in front of the nodes, but cluster "${cluster.metadata.name}" has gateway mode ${mode}: set it to Router, or disable floating IPs`;
  return [{ type: 'FieldValueInvalid', field: 'spec.floatingIPs.enabled', value: true, detail }];
}

function machineErrors(
  { pool, old, catalogue }: NodePoolAdmission,
  cluster: Cluster | undefined,
  plan: Plan | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  const { flavor: flavorName, image: imageName, rootVolume } = pool.spec;
  const flavor = catalogue.flavors && findByIdOrName(catalogue.flavors, flavorName);
  const isFlavorNew = flavorName !== old?.spec.flavor;
  if (isFlavorNew && catalogue.flavors) {
    if (flavor === undefined) errors.push(notFoundError('spec.flavor', flavorName, 'flavor', catalogue.flavors));
    else errors.push(...flavorErrors(pool, flavor));
  } else if (flavor && old?.spec.rootVolume && !rootVolume) errors.push(...diskErrors(pool, flavor));
  const isImageNew = imageName !== undefined && imageName !== old?.spec.image;
  if (isImageNew && catalogue.images && !findByIdOrName(catalogue.images, imageName)) {
    errors.push(notFoundError('spec.image', imageName, 'image', catalogue.images));
  }
  const isSizeNew = isFlavorNew || rootVolume?.sizeGiB !== old?.spec.rootVolume?.sizeGiB;
  if (isSizeNew || isImageNew) errors.push(...imageSizeErrors(pool, cluster, plan, catalogue));
  if (rootVolume && !old?.spec.rootVolume && catalogue.hasVolumes === false) {
    const detail =
      'the cloud has no volume service (Cinder): remove the field, and the nodes boot from the disk of their flavor';
    errors.push({ type: 'FieldValueForbidden', field: 'spec.rootVolume', detail });
    return errors;
  }
  const type = rootVolume?.type;
  const isTypeNew = type !== undefined && type !== old?.spec.rootVolume?.type;
  if (isTypeNew && catalogue.volumeTypes && !findByIdOrName(catalogue.volumeTypes, type)) {
    errors.push(notFoundError('spec.rootVolume.type', type, 'volume type', catalogue.volumeTypes));
  }
  return errors;
}

function flavorErrors(pool: NodePool, flavor: CatalogueFlavor): FieldError[] {
  const field = 'spec.flavor';
  const problem = sizeProblem(flavor);
  if (problem) return [{ type: 'FieldValueInvalid', field, value: pool.spec.flavor, detail: problem }];
  return diskErrors(pool, flavor);
}

function diskErrors({ spec }: NodePool, flavor: CatalogueFlavor): FieldError[] {
  if (flavor.diskGiB > 0 || spec.rootVolume) return [];
  const detail = `is required because flavor "${flavor.name}" has no disk`;
  return [{ type: 'FieldValueRequired', field: 'spec.rootVolume', detail }];
}

function zoneErrors({ pool, old, catalogue }: NodePoolAdmission): FieldError[] {
  const { zones } = catalogue;
  if (zones === undefined) return [];
  const known = old?.spec.availabilityZones ?? [];
  return (pool.spec.availabilityZones ?? []).flatMap((zone, index) => {
    const field = `spec.availabilityZones[${index}]`;
    return zones.includes(zone) || known.includes(zone)
      ? []
      : [
          notFoundError(
            field,
            zone,
            'availability zone',
            zones.map((name) => ({ name })),
          ),
        ];
  });
}

/**
 * Warnings about a missing cluster, about changes affected by autoscaling, and about nodes that exceed the current
 * quota. Exceeding the quota is not an error, since the current usage may be temporary.
 */
export function nodePoolWarnings(admission: NodePoolAdmission): string[] {
  const { pool, old } = admission;
  const plan = planOf(admission);
  const limited = plan ? applyLimitNotes(poolErrors(admission), plan, admission.nowMs).warnings : [];
  return [...clusterWarnings(admission), ...limited, ...autoscalingWarnings(pool, old), ...quotaWarnings(admission)];
}
