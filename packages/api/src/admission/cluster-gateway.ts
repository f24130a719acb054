import type { FieldError } from '@fairway/kube/object/field-error';
import { findOverlaps, gatewayProblem } from '../domain/address-plan.ts';
import { effectiveNetworking } from '../domain/effective-networking.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import type { CatalogueRouter, CloudCatalogue } from './cloud-catalogue.ts';
import { type ClusterAdmission, isNewToPlan } from './cluster-admission.ts';
import { givenSubnet } from './cluster-subnet.ts';
import { idNotFoundError } from './references.ts';

const FIELD = 'spec.network.gateway';

/** Validates the way from the nodes to the Internet. What is stored already is not rejected again by the same plan. */
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

/** Rejects floating IPs of nodes whose router leads nowhere. */
export function floatingIpRouterErrors(
  { spec }: NodePool,
  old: NodePool | undefined,
  cluster: Cluster,
  catalogue: CloudCatalogue,
): FieldError[] {
  if (!spec.floatingIPs.enabled || old?.spec.floatingIPs.enabled) return [];
  const router = routerOf(cluster, catalogue);
  if (router?.externalNetworkID !== null) return [];
  const detail = `floating IPs come from the external network that the nodes' router leads to, and ${leadsNowhere(router)}`;
  return [{ type: 'FieldValueInvalid', field: 'spec.floatingIPs.enabled', value: true, detail }];
}

function routerRequiredErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster, old } = admission;
  const { mode } = cluster.spec.network.gateway;
  const isStored = mode === old?.spec.network.gateway.mode && !isNewToPlan(admission);
  if (!plan.spec.network.gatewayRequired || isStored) return [];
  const detail = `plan "${plan.metadata.name}" needs an OpenStack router in front of the nodes: set mode to Router`;
  return [{ type: 'FieldValueInvalid', field: `${FIELD}.mode`, value: mode, detail }];
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
  const refused = (detail: string): FieldError => ({ type: 'FieldValueInvalid', field, value, detail });
  const errors = routerID === undefined ? [] : attachmentProblems(admission, plan, router).map(refused);
  // A router of Fairway's own is led there; that of others is not touched.
  if (router.id === cluster.status?.network?.routerID && routerID === undefined) return errors;
  if (router.externalNetworkID === null) {
    const name = cluster.metadata.name;
    const pool = pools.find(({ spec }) => spec.clusterName === name && spec.floatingIPs.enabled);
    if (plan.spec.network.gatewayRequired) {
      errors.push(refused(`plan "${plan.metadata.name}" needs a router to the Internet, and ${leadsNowhere(router)}`));
    } else if (pool) {
      errors.push(refused(`node pool "${pool.metadata.name}" wants floating IPs, and ${leadsNowhere(router)}`));
    }
  } else if (externalNetworkID !== undefined && (router.externalNetworkID ?? externalNetworkID) !== externalNetworkID) {
    const detail = `router ${named(router)} leads to external network ${router.externalNetworkID}, and Fairway does not change a router that it has not made: leave the field out, or use another router`;
    errors.push({ type: 'FieldValueInvalid', field: `${FIELD}.externalNetworkID`, value: externalNetworkID, detail });
  }
  return errors;
}

/** Why a router that the cluster names can't serve its subnet. */
function attachmentProblems({ cluster, catalogue }: ClusterAdmission, plan: Plan, router: CatalogueRouter): string[] {
  const { subnetIDs } = router;
  if (subnetIDs === undefined || catalogue.subnets === undefined) return [];
  const given = givenSubnet(cluster, catalogue.subnets);
  if (cluster.spec.network.networkID !== undefined) {
    if (given === undefined || subnetIDs.includes(given.id)) return [];
    return [
      `router ${named(router)} is not attached to subnet ${given.id} of the nodes: attach it with \`openstack router add subnet ${router.id} ${given.id}\`, or leave the field out`,
    ];
  }
  const nodes = { name: 'nodes', cidr: effectiveNetworking(cluster, plan.spec).nodesCIDR };
  const own = cluster.status?.network?.subnetID;
  const others = catalogue.subnets.filter(({ id }) => subnetIDs.includes(id) && id !== own);
  return others
    .filter((subnet) => findOverlaps([nodes, subnet]).length > 0)
    .map(
      ({ id, cidr }) =>
        `router ${named(router)} is attached to subnet ${id} (${cidr}), which overlaps the nodes' range ${nodes.cidr}: set spec.network.nodesCIDR to a range outside of it, or use another router`,
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
  const subnet = givenSubnet(cluster, catalogue.subnets);
  if (subnet?.gatewayIP === undefined || subnet.gatewayIP === address) return [];
  const how = `set it with \`openstack subnet set --gateway ADDRESS ${subnet.id}\``;
  if (subnet.gatewayIP === null) {
    const detail = `the given subnet ${subnet.id} has no gateway_ip, which nodes learn their gateway from: ${how}, or set mode to None`;
    return [
      { type: 'FieldValueInvalid', field: address ? field : `${FIELD}.mode`, value: address ?? 'Custom', detail },
    ];
  }
  if (address === undefined) return [];
  const detail = `nodes learn their gateway from the subnet, and the given subnet ${subnet.id} has the gateway_ip ${subnet.gatewayIP}: ${how}, or leave the field out`;
  return [{ type: 'FieldValueInvalid', field, value: address, detail }];
}

/** The router that the cluster names, has, or finds at its subnet. */
function routerOf(cluster: Cluster, { routers = [], subnets }: CloudCatalogue): CatalogueRouter | undefined {
  const { routerID } = cluster.spec.network.gateway;
  const id = routerID ?? cluster.status?.network?.routerID;
  if (id !== undefined) return routers.find((router) => router.id === id);
  const given = givenSubnet(cluster, subnets);
  return given && routers.find(({ subnetIDs }) => subnetIDs?.includes(given.id));
}

function leadsNowhere(router: CatalogueRouter): string {
  return `router ${named(router)} has no external gateway: set it with \`openstack router set --external-gateway NETWORK ${router.id}\``;
}

function named({ id, name }: CatalogueRouter): string {
  return name === '' ? id : `${id} ("${name}")`;
}
