import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import { allowanceProblem } from '../domain/plan-allowance.ts';
import { clusterRanges } from '../domain/pool-network-ranges.ts';
import { checkPoolNetworks, type PoolNetworkIssue } from '../domain/pool-networks.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { PoolNetwork } from '../kinds/pool-networks.ts';
import { limitError } from '../limits/notes.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';
import { configuredSubnet } from './cluster-subnet.ts';

export interface PoolNetworksAdmission {
  readonly pool: NodePool;
  readonly old: NodePool | undefined;
  readonly cluster: Cluster | undefined;
  readonly plan: Plan | undefined;
  readonly catalogue: CloudCatalogue;
}

/** Validates a pool's additional networks. A stored network is not rejected again. */
export function poolNetworkErrors({ pool, old, cluster, plan, catalogue }: PoolNetworksAdmission): FieldError[] {
  const desired = pool.spec.networks ?? [];
  const known = old?.spec.networks ?? [];
  const { networks, subnets } = catalogue;
  const chosenCidr = cluster && configuredSubnet(cluster, subnets)?.cidr;
  const isKnown = (network: PoolNetwork) => known.some((each) => isDeepStrictEqual(each, network));
  // If two conflict, the new one is reported.
  const order = [...desired.filter(isKnown), ...desired.filter((network) => !isKnown(network))];
  const { issues } = checkPoolNetworks(order, {
    networks,
    subnets,
    nodesNetworkID: cluster?.spec.network.networkID ?? cluster?.status?.network?.networkID,
    ranges: [
      ...(chosenCidr === undefined ? [] : [{ name: 'node network', cidr: chosenCidr }]),
      ...clusterRanges(cluster, plan?.spec, subnets),
    ],
  });
  return issues.flatMap((issue) => {
    const network = order[issue.index];
    return network === undefined || isKnown(network) ? [] : [errorOf(issue, network, desired.indexOf(network))];
  });
}

function errorOf({ field, isMissing, detail }: PoolNetworkIssue, network: PoolNetwork, index: number): FieldError {
  const path = `spec.networks[${index}].${field}`;
  if (isMissing) return { type: 'FieldValueRequired', field: path, detail };
  return { type: 'FieldValueInvalid', field: path, value: network[field] ?? '', detail };
}

/** Networks that the plan does not allow in pools. */
export function networkAllowanceErrors(
  pool: NodePool,
  old: NodePool | undefined,
  plan: Plan,
  catalogue: CloudCatalogue,
) {
  const known = old?.spec.networks ?? [];
  return (pool.spec.networks ?? []).flatMap(({ networkID: id }, index): FieldError[] => {
    if (known.some((each) => each.networkID === id)) return [];
    const name = catalogue.networks?.find((network) => network.id === id)?.name;
    const detail = allowanceProblem(plan, 'networks', { id, name });
    if (detail === undefined) return [];
    const field = `spec.networks[${index}].networkID`;
    return [limitError('allowed.networks', { type: 'FieldValueInvalid', field, value: id, detail }, id)];
  });
}
