import type { FieldError } from '@fairway/kube/object/field-error';
import { findOverlaps, gatewayProblem } from '../domain/address-plan.ts';
import { effectiveNetworking } from '../domain/effective-networking.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import { limitError } from '../limits/notes.ts';
import type { CatalogueRouter, CloudCatalogue } from './cloud-catalogue.ts';
import { type ClusterAdmission, isNewToPlan } from './cluster-admission.ts';
import { configuredSubnet } from './cluster-subnet.ts';
import { idNotFoundError } from './references.ts';

const FIELD = 'spec.network.gateway';

/** Validates how the nodes reach the Internet. A stored value is not rejected again under the same plan. */
export function gatewayErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster, old } = admission;
  const { gateway } = cluster.spec.network;
  const before = old?.spec.network.gateway;
  const isSame =
    before !== undefined &&
    (['mode', 'routerID', 'externalNetworkID', 'address'] as const).every((name) => gateway[name] === before[name]);
  if (isSame && !isNewToPlan(admission)) return [];
  switch (gateway.mode) {
    case 'Router': {
      const unknown = [...unknownExternalNetwork(admission), ...unknownRouter(admission)];
      return unknown.length > 0 ? unknown : routerErrors(admission, plan);
    }
    case 'Custom':
      return [...routerRequiredErrors(admission, plan), ...addressErrors(admission, plan)];
    case 'None':
      return routerRequiredErrors(admission, plan);
  }
}

/** Rejects floating IPs for nodes whose router has no external network. */
export function floatingIpRouterErrors(
  { spec }: NodePool,
  old: NodePool | undefined,
  cluster: Cluster,
  catalogue: CloudCatalogue,
): FieldError[] {
  if (!spec.floatingIPs.enabled || old?.spec.floatingIPs.enabled) return [];
  const router = routerOf(cluster, catalogue);
  if (router?.externalNetworkID !== null) return [];
  const detail = `floating IPs come from the external network of the nodes' router, but ${noExternalGatewayDetail(router)}`;
  return [{ type: 'FieldValueInvalid', field: 'spec.floatingIPs.enabled', value: true, detail }];
}

function routerRequiredErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster, old } = admission;
  const { mode } = cluster.spec.network.gateway;
  const isStored = mode === old?.spec.network.gateway.mode && !isNewToPlan(admission);
  if (!plan.spec.network.gatewayRequired || isStored) return [];
  const detail = `plan "${plan.metadata.name}" requires an OpenStack router for the nodes: set mode to Router`;
  return [
    limitError('network.gatewayRequired', { type: 'FieldValueInvalid', field: `${FIELD}.mode`, value: mode, detail }),
  ];
}

function unknownRouter({ cluster, old, catalogue }: ClusterAdmission): FieldError[] {
  const { routerID } = cluster.spec.network.gateway;
  const isUnchanged = routerID === old?.spec.network.gateway.routerID;
  if (routerID === undefined || isUnchanged || catalogue.routers === undefined) return [];
  if (catalogue.routers.some(({ id }) => id === routerID)) return [];
  return [idNotFoundError(`${FIELD}.routerID`, routerID, 'router', catalogue.routers)];
}

function unknownExternalNetwork({ cluster, old, catalogue }: ClusterAdmission): FieldError[] {
  const { externalNetworkID } = cluster.spec.network.gateway;
  const isUnchanged = externalNetworkID === old?.spec.network.gateway.externalNetworkID;
  if (externalNetworkID === undefined || isUnchanged || catalogue.networks === undefined) return [];
  const external = catalogue.networks.filter(({ isExternal }) => isExternal);
  if (external.some(({ id }) => id === externalNetworkID)) return [];
  return [idNotFoundError(`${FIELD}.externalNetworkID`, externalNetworkID, 'external network', external)];
}

function routerErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster, catalogue, pools } = admission;
  const router = routerOf(cluster, catalogue);
  if (router === undefined) return [];
  const { routerID, externalNetworkID } = cluster.spec.network.gateway;
  const field = routerID === undefined ? `${FIELD}.mode` : `${FIELD}.routerID`;
  const value = routerID ?? 'Router';
  const invalidValue = (detail: string): FieldError => ({ type: 'FieldValueInvalid', field, value, detail });
  const errors = routerID === undefined ? [] : attachmentProblems(admission, plan, router).map(invalidValue);
  // Fairway connects its own router to the external network, but never changes other routers.
  if (router.id === cluster.status?.network?.routerID && routerID === undefined) return errors;
  if (router.externalNetworkID === null) {
    const name = cluster.metadata.name;
    const pool = pools.find(({ spec }) => spec.clusterName === name && spec.floatingIPs.enabled);
    if (plan.spec.network.gatewayRequired) {
      errors.push(
        invalidValue(
          `plan "${plan.metadata.name}" requires a router to the Internet, but ${noExternalGatewayDetail(router)}`,
        ),
      );
    } else if (pool) {
      errors.push(
        invalidValue(`node pool "${pool.metadata.name}" has floating IPs, but ${noExternalGatewayDetail(router)}`),
      );
    }
  } else if (externalNetworkID !== undefined && (router.externalNetworkID ?? externalNetworkID) !== externalNetworkID) {
    const detail = `router ${describeRouter(router)} is connected to external network ${router.externalNetworkID}, and Fairway does not change a router that it did not create: remove the field, or use another router`;
    errors.push({ type: 'FieldValueInvalid', field: `${FIELD}.externalNetworkID`, value: externalNetworkID, detail });
  }
  return errors;
}

/** Why the specified router can't be used with the cluster's subnet. */
function attachmentProblems({ cluster, catalogue }: ClusterAdmission, plan: Plan, router: CatalogueRouter): string[] {
  const { subnetIDs } = router;
  if (subnetIDs === undefined || catalogue.subnets === undefined) return [];
  const chosenSubnet = configuredSubnet(cluster, catalogue.subnets);
  if (cluster.spec.network.networkID !== undefined) {
    if (chosenSubnet === undefined || subnetIDs.includes(chosenSubnet.id)) return [];
    return [
      `router ${describeRouter(router)} is not attached to subnet ${chosenSubnet.id} of the nodes: attach it with \`openstack router add subnet ${router.id} ${chosenSubnet.id}\`, or remove the field`,
    ];
  }
  const nodes = { name: 'nodes', cidr: effectiveNetworking(cluster, plan.spec).nodesCIDR };
  const own = cluster.status?.network?.subnetID;
  const others = catalogue.subnets.filter(({ id }) => subnetIDs.includes(id) && id !== own);
  return others
    .filter((subnet) => findOverlaps([nodes, subnet]).length > 0)
    .map(
      ({ id, cidr }) =>
        `router ${describeRouter(router)} is attached to subnet ${id} (${cidr}), which overlaps the nodes' CIDR ${nodes.cidr}: set spec.network.nodesCIDR to a CIDR that does not overlap it, or use another router`,
    );
}

function addressErrors({ cluster, catalogue }: ClusterAdmission, plan: Plan): FieldError[] {
  const { network } = cluster.spec;
  const { address } = network.gateway;
  const field = `${FIELD}.address`;
  if (network.networkID === undefined) {
    const range = effectiveNetworking(cluster, plan.spec).nodesCIDR;
    const detail = address && gatewayProblem(address, range);
    return detail ? [{ type: 'FieldValueInvalid', field, value: address, detail }] : [];
  }
  const subnet = configuredSubnet(cluster, catalogue.subnets);
  if (subnet?.gatewayIP === undefined || subnet.gatewayIP === address) return [];
  const advice = `set it with \`openstack subnet set --gateway ADDRESS ${subnet.id}\``;
  if (subnet.gatewayIP === null) {
    const detail = `subnet ${subnet.id} has no gateway_ip, which nodes use as their default gateway: ${advice}, or set mode to None`;
    return [
      { type: 'FieldValueInvalid', field: address ? field : `${FIELD}.mode`, value: address ?? 'Custom', detail },
    ];
  }
  if (address === undefined) return [];
  const detail = `nodes use the gateway_ip of the subnet, which is ${subnet.gatewayIP} for subnet ${subnet.id}: ${advice}, or remove the field`;
  return [{ type: 'FieldValueInvalid', field, value: address, detail }];
}

/** The router that the cluster specifies, already uses, or that is found in its subnet. */
function routerOf(cluster: Cluster, { routers = [], subnets }: CloudCatalogue): CatalogueRouter | undefined {
  const { routerID } = cluster.spec.network.gateway;
  const id = routerID ?? cluster.status?.network?.routerID;
  if (id !== undefined) return routers.find((router) => router.id === id);
  const chosenSubnet = configuredSubnet(cluster, subnets);
  return chosenSubnet && routers.find(({ subnetIDs }) => subnetIDs?.includes(chosenSubnet.id));
}

function noExternalGatewayDetail(router: CatalogueRouter): string {
  return `router ${describeRouter(router)} has no external gateway: set it with \`openstack router set --external-gateway NETWORK ${router.id}\``;
}

function describeRouter({ id, name }: CatalogueRouter): string {
  return name === '' ? id : `${id} ("${name}")`;
}
