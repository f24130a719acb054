import type { FieldError } from '@fairway/kube/object/field-error';
import type { Plan } from '../kinds/plan.ts';
import type { CatalogueSubnet } from './cloud-catalogue.ts';
import type { ClusterAdmission } from './cluster-admission.ts';
import { gatewayErrors } from './cluster-gateway.ts';
import { idNotFoundError } from './references.ts';

const FIELD = 'spec.network';

/** Validates the networks, subnets and routers that the cluster refers to. */
export function networkErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  return [...nodeNetworkErrors(admission), ...loadBalancersSubnetErrors(admission), ...gatewayErrors(admission, plan)];
}

function nodeNetworkErrors({ cluster, old, catalogue }: ClusterAdmission): FieldError[] {
  const { networkID, subnetID } = cluster.spec.network;
  if (old !== undefined || networkID === undefined) return [];
  const network = catalogue.networks?.find(({ id }) => id === networkID);
  if (catalogue.networks && network === undefined) {
    const candidates = catalogue.networks.filter(({ isExternal }) => !isExternal);
    return [idNotFoundError(`${FIELD}.networkID`, networkID, 'network', candidates)];
  }
  if (network?.isExternal) {
    const detail = `network "${network.name}" is external: nodes need a network of the project; name this one as gateway.externalNetworkID`;
    return [{ type: 'FieldValueInvalid', field: `${FIELD}.networkID`, value: networkID, detail }];
  }
  if (catalogue.subnets === undefined) return [];
  const ofNetwork = catalogue.subnets.filter((subnet) => subnet.networkID === networkID);
  return subnetID === undefined
    ? onlySubnetErrors(networkID, ofNetwork)
    : subnetErrors(`${FIELD}.subnetID`, subnetID, networkID, ofNetwork);
}

function onlySubnetErrors(networkID: string, subnets: readonly CatalogueSubnet[]): FieldError[] {
  const usable = subnets.filter(({ ipVersion }) => ipVersion === 4);
  if (usable.length === 1) return [];
  if (usable.length === 0) {
    const detail = 'the network has no IPv4 subnet: create one in OpenStack first';
    return [{ type: 'FieldValueInvalid', field: `${FIELD}.networkID`, value: networkID, detail }];
  }
  const detail = `the network has ${usable.length} IPv4 subnets: name one of ${usable.map(describe).join(', ')}`;
  return [{ type: 'FieldValueRequired', field: `${FIELD}.subnetID`, detail }];
}

function subnetErrors(
  field: string,
  id: string,
  networkID: string,
  ofNetwork: readonly CatalogueSubnet[],
): FieldError[] {
  const subnet = ofNetwork.find((candidate) => candidate.id === id);
  if (subnet === undefined) return [idNotFoundError(field, id, `subnet of network ${networkID}`, ofNetwork)];
  if (subnet.ipVersion === 4) return [];
  return [
    {
      type: 'FieldValueInvalid',
      field,
      value: id,
      detail: 'is an IPv6 subnet, and nodes need IPv4: choose an IPv4 subnet of the network',
    },
  ];
}

function loadBalancersSubnetErrors({ cluster, old, catalogue }: ClusterAdmission): FieldError[] {
  const { networkID, loadBalancersSubnetID: id } = cluster.spec.network;
  const isUnchanged = id === old?.spec.network.loadBalancersSubnetID;
  if (id === undefined || networkID === undefined || isUnchanged || catalogue.subnets === undefined) return [];
  const ofNetwork = catalogue.subnets.filter((subnet) => subnet.networkID === networkID);
  return subnetErrors(`${FIELD}.loadBalancersSubnetID`, id, networkID, ofNetwork);
}

function describe({ id, name, cidr }: CatalogueSubnet): string {
  return `${id} ("${name}", ${cidr})`;
}
