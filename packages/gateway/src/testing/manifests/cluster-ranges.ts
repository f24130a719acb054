import type { Row } from './row.ts';

export const CLUSTER_RANGES_ROWS: readonly Row[] = [
  {
    name: 'a pod CIDR, although the plan has a fixed one',
    spec: { podCIDR: '10.32.0.0/16' },
    refused: ['spec.podCIDR: Forbidden: plan "free" has a fixed CIDR 10.2.0.0/16: remove the field'],
  },
  {
    name: 'the pod CIDR of the plan',
    spec: { podCIDR: '10.2.0.0/16' },
  },
  {
    name: 'a pod CIDR with a plan that allows custom ones',
    spec: { plan: 'custom', podCIDR: '10.32.0.0/16' },
  },
  {
    name: 'a pod CIDR that is too small',
    spec: { plan: 'custom', podCIDR: '10.32.0.0/17' },
    refused: [
      'spec.podCIDR: Invalid value: "10.32.0.0/17": must be a /16 or larger: the prefix length must be at most 16',
    ],
  },
  {
    name: 'public addresses for pods',
    spec: { plan: 'custom', podCIDR: '11.0.0.0/16' },
    refused: [
      'spec.podCIDR: Invalid value: "11.0.0.0/16": must be private: within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16 (RFC 1918)',
    ],
  },
  {
    name: 'a pod CIDR that is a number',
    spec: { plan: 'custom', podCIDR: 10 },
    refused: ['spec.podCIDR: Invalid value: "integer": spec.podCIDR in body must be of type string: "integer"'],
  },
  {
    name: 'a pod CIDR without a prefix length',
    spec: { plan: 'custom', podCIDR: '10.32.0.0' },
    refused: [
      'spec.podCIDR: Invalid value: "10.32.0.0": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'a pod CIDR that overlaps the node CIDR',
    spec: { plan: 'custom', podCIDR: '10.0.0.0/14' },
    refused: [
      'spec.podCIDR: Invalid value: "10.0.0.0/14": the pod network 10.0.0.0/14 overlaps the service network 10.3.0.0/16: choose a CIDR that does not overlap it',
      'spec.podCIDR: Invalid value: "10.0.0.0/14": the pod network 10.0.0.0/14 overlaps the node network 10.1.0.0/20: choose a CIDR that does not overlap it',
    ],
  },
  {
    name: 'a service CIDR, although the plan has a fixed one',
    spec: { serviceCIDR: '10.33.0.0/16' },
    refused: ['spec.serviceCIDR: Forbidden: plan "free" has a fixed CIDR 10.3.0.0/16: remove the field'],
  },
  {
    name: 'a service CIDR with a plan that allows custom ones',
    spec: { plan: 'custom', serviceCIDR: '10.33.0.0/16' },
  },
  {
    name: 'a service CIDR that overlaps the pod CIDR',
    spec: { plan: 'custom', podCIDR: '10.32.0.0/14', serviceCIDR: '10.33.0.0/16' },
    refused: [
      'spec.serviceCIDR: Invalid value: "10.33.0.0/16": the service network 10.33.0.0/16 overlaps the pod network 10.32.0.0/14: choose a CIDR that does not overlap it',
    ],
  },
  {
    name: 'a service CIDR with host bits',
    spec: { plan: 'custom', serviceCIDR: '10.33.7.7/16' },
    refused: [
      'spec.serviceCIDR: Invalid value: "10.33.7.7/16": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'another range of pods',
    isUpdate: true,
    metadata: { name: 'custom' },
    spec: { podCIDR: '10.34.0.0/16' },
    refused: ['spec.podCIDR: Forbidden: cannot be changed after creation: it is "10.32.0.0/16"'],
  },
  {
    name: 'another range of Services',
    isUpdate: true,
    metadata: { name: 'custom' },
    spec: { serviceCIDR: '10.34.0.0/16' },
    refused: ['spec.serviceCIDR: Forbidden: cannot be changed after creation: it is "10.33.0.0/16"'],
  },
  {
    name: 'no range of pods any more',
    isUpdate: true,
    metadata: { name: 'custom' },
    spec: { podCIDR: null },
    refused: ['spec.podCIDR: Forbidden: cannot be changed after creation: it is "10.32.0.0/16"'],
  },
  {
    name: 'an allow-list for the API server',
    spec: { apiServer: { allowedCIDRs: ['203.0.113.0/24'] } },
    refused: ['spec.apiServer.allowedCIDRs: Forbidden: it is not enforced here: leave it out'],
  },
  {
    name: 'an address without a prefix',
    spec: { apiServer: { allowedCIDRs: ['203.0.113.7'] } },
    refused: [
      'spec.apiServer.allowedCIDRs[0]: Invalid value: "203.0.113.7": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'no addresses at all',
    spec: { apiServer: { allowedCIDRs: [] } },
  },
];
