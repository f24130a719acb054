import type { FieldError } from '@fairway/kube/object/field-error';
import type { Cluster } from '../kinds/cluster.ts';
import type { Plan } from '../kinds/plan.ts';
import { limitError } from '../limits/notes.ts';
import type { CatalogueRouter, CatalogueSubnet, CloudCatalogue } from './cloud-catalogue.ts';
import type { ClusterAdmission } from './cluster-admission.ts';
import { gatewayErrors } from './cluster-gateway.ts';
import { configuredSubnet } from './cluster-subnet.ts';
import { idNotFoundError } from './references.ts';

const FIELD = 'spec.network';

/** Validates the networks, subnets and routers that the cluster refers to. */
export function networkErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  return [
    ...nodeNetworkErrors(admission, plan),
    ...loadBalancersSubnetErrors(admission, plan),
    ...gatewayErrors(admission, plan),
  ];
}

function nodeNetworkErrors({ cluster, old, catalogue }: ClusterAdmission, plan: Plan): FieldError[] {
  const { networkID, subnetID } = cluster.spec.network;
  if (old !== undefined || networkID === undefined) return [];
  const network = catalogue.networks?.find(({ id }) => id === networkID);
  if (catalogue.networks && network === undefined) {
    const candidates = catalogue.networks.filter(({ isExternal }) => !isExternal);
    return [idNotFoundError(`${FIELD}.networkID`, networkID, 'network', candidates)];
  }
  if (network?.isExternal) {
    const detail = `network "${network.name}" is external: nodes need a network of the project; set gateway.externalNetworkID to this one instead`;
    return [{ type: 'FieldValueInvalid', field: `${FIELD}.networkID`, value: networkID, detail }];
  }
  if (network?.hasPortSecurity === false) {
    const detail = `network "${network.name}" has port security disabled, so security groups cannot protect nodes and load balancers cannot be created in it: enable it with \`openstack network set --enable-port-security ${networkID}\`, or choose another network`;
    return [{ type: 'FieldValueInvalid', field: `${FIELD}.networkID`, value: networkID, detail }];
  }
  if (catalogue.subnets === undefined) return [];
  const networkSubnets = catalogue.subnets.filter((subnet) => subnet.networkID === networkID);
  return subnetID === undefined
    ? onlySubnetErrors(networkID, networkSubnets, plan)
    : subnetErrors({ field: `${FIELD}.subnetID`, id: subnetID, networkID, networkSubnets, plan });
}

function onlySubnetErrors(networkID: string, subnets: readonly CatalogueSubnet[], plan: Plan): FieldError[] {
  const usable = subnets.filter(({ ipVersion }) => ipVersion === 4);
  if (usable.length === 1) return [];
  if (usable.length === 0) {
    const detail = 'the network has no IPv4 subnet: create one in OpenStack first';
    const error: FieldError = { type: 'FieldValueInvalid', field: `${FIELD}.networkID`, value: networkID, detail };
    return [subnets.length === 0 ? error : familyError(error, plan)];
  }
  const detail = `the network has ${usable.length} IPv4 subnets: choose one of ${usable.map(describe).join(', ')}`;
  return [{ type: 'FieldValueRequired', field: `${FIELD}.subnetID`, detail }];
}

interface SubnetReference {
  readonly field: string;
  readonly id: string;
  readonly networkID: string;
  readonly networkSubnets: readonly CatalogueSubnet[];
  readonly plan: Plan;
}

function subnetErrors({ field, id, networkID, networkSubnets, plan }: SubnetReference): FieldError[] {
  const subnet = networkSubnets.find((candidate) => candidate.id === id);
  if (subnet === undefined) return [idNotFoundError(field, id, `subnet of network ${networkID}`, networkSubnets)];
  if (subnet.ipVersion === 4) return [];
  const detail = 'is an IPv6 subnet, but nodes need IPv4: choose an IPv4 subnet of the network';
  return [familyError({ type: 'FieldValueInvalid', field, value: id, detail }, plan)];
}

/** The error about an IPv6 subnet, with the plan's explanation if the plan excludes IPv6. */
function familyError(error: FieldError, { metadata, spec: { network } }: Plan): FieldError {
  const { ipFamilies } = network;
  if (ipFamilies === undefined || ipFamilies.some((family) => family !== 'IPv4')) return error;
  const detail = `${error.detail}. Plan "${metadata.name}" only allows IPv4 clusters`;
  return limitError('network.ipFamilies', { ...error, detail }, 'IPv6');
}

function loadBalancersSubnetErrors({ cluster, old, catalogue }: ClusterAdmission, plan: Plan): FieldError[] {
  const { networkID, loadBalancersSubnetID: id } = cluster.spec.network;
  const isUnchanged = id === old?.spec.network.loadBalancersSubnetID;
  if (id === undefined || networkID === undefined || isUnchanged || catalogue.subnets === undefined) return [];
  const networkSubnets = catalogue.subnets.filter((subnet) => subnet.networkID === networkID);
  const field = `${FIELD}.loadBalancersSubnetID`;
  const errors = subnetErrors({ field, id, networkID, networkSubnets, plan });
  return errors.length > 0 ? errors : missingRouteErrors(field, id, cluster, catalogue);
}

/**
 * Rejects a subnet without a router to an external network: Neutron can't assign floating IPs to its load balancers.
 * Gateway modes None and Custom don't need a router.
 */
function missingRouteErrors(field: string, id: string, cluster: Cluster, catalogue: CloudCatalogue): FieldError[] {
  const { networkID, gateway } = cluster.spec.network;
  const { networks, routers, subnets } = catalogue;
  const network = networks?.find((each) => each.id === networkID);
  // Fairway attaches the nodes' subnet itself, and routers of other projects are not visible.
  if (gateway.mode !== 'Router' || id === configuredSubnet(cluster, subnets)?.id || network?.isShared !== false)
    return [];
  const hasExternalRoute = ({ subnetIDs, externalNetworkID }: CatalogueRouter) =>
    subnetIDs === undefined || (subnetIDs.includes(id) && externalNetworkID !== null);
  if (routers === undefined || routers.some(hasExternalRoute)) return [];
  const detail = `no router connects the subnet to an external network, so load balancers in it would have no public addresses: attach one with \`openstack router add subnet ROUTER ${id}\`, remove the field, or set gateway.mode to Custom or None`;
  return [{ type: 'FieldValueInvalid', field, value: id, detail }];
}

function describe({ id, name, cidr }: CatalogueSubnet): string {
  return `${id} ("${name}", ${cidr})`;
}
