import type { Row } from './row.ts';

export const CLUSTER_NETWORK_ROWS: readonly Row[] = [
  {
    name: 'a network with one subnet',
    spec: { network: { networkID: '{office}' } },
  },
  {
    name: 'a network and its subnet',
    spec: { network: { networkID: '{office}', subnetID: '{office-0}' } },
  },
  {
    name: 'a network by its name',
    spec: { network: { networkID: 'office' } },
    refused: [
      'spec.network.networkID: Invalid value: "office": must be the ID (UUID) of an OpenStack resource, not its name',
    ],
  },
  {
    name: 'a network that the cloud does not have',
    spec: { network: { networkID: '00000000-0000-4000-8000-000000000000' } },
    refused: [
      'spec.network.networkID: Not found: "00000000-0000-4000-8000-000000000000": the cloud has no such network for this project; there are {office} ("office"), {twin} ("twin"), {bare} ("bare"), {inside} ("inside")',
    ],
  },
  {
    name: 'the external network as the network of nodes',
    spec: { network: { networkID: '{public}' } },
    refused: [
      'spec.network.networkID: Invalid value: "{public}": network "public" is external: nodes need a network of the project; set gateway.externalNetworkID to this one instead',
    ],
  },
  {
    name: 'a network without a subnet',
    spec: { network: { networkID: '{bare}' } },
    refused: [
      'spec.network.networkID: Invalid value: "{bare}": the network has no IPv4 subnet: create one in OpenStack first',
    ],
  },
  {
    name: 'a network with two subnets',
    spec: { network: { networkID: '{twin}' } },
    refused: [
      'spec.network.subnetID: Required value: the network has 2 IPv4 subnets: choose one of {twin-0} ("twin-0", 10.92.0.0/24), {twin-1} ("twin-1", 10.93.0.0/24)',
    ],
  },
  {
    name: 'a subnet without its network',
    spec: { network: { subnetID: '{office-0}' } },
    refused: [
      'spec.network.subnetID: Invalid value: "{office-0}": requires networkID, the network of the subnet: set both',
    ],
    refusedByCrd: ['spec.network.subnetID: Invalid value: requires networkID, the network of the subnet: set both'],
  },
  {
    name: 'a subnet of another network',
    spec: { network: { networkID: '{twin}', subnetID: '{office-0}' } },
    refused: [
      'spec.network.subnetID: Not found: "{office-0}": the cloud has no such subnet of network {twin} for this project; there are {twin-0} ("twin-0"), {twin-1} ("twin-1"), {twin-v6} ("twin-2")',
    ],
  },
  {
    name: 'a subnet that is IPv6',
    spec: { network: { networkID: '{twin}', subnetID: '{twin-v6}' } },
    refused: [
      'spec.network.subnetID: Invalid value: "{twin-v6}": is an IPv6 subnet, but nodes need IPv4: choose an IPv4 subnet of the network',
    ],
  },
  {
    name: 'a subnet that overlaps the pods',
    spec: { network: { networkID: '{inside}', subnetID: '{inside-0}' } },
    refused: [
      'spec.network.subnetID: Invalid value: "{inside-0}": the subnet "inside-0" 10.2.8.0/24 overlaps the pod network 10.2.0.0/16: choose a CIDR that does not overlap it',
    ],
  },
  {
    name: 'a network that the plan does not allow',
    spec: { plan: 'listed', region: 'RegionOne', network: { networkID: '{bare}' } },
    refused: [
      'spec.network.networkID: Invalid value: "{bare}": plan "listed" allows the networks "office": choose one of them, or another plan',
      'spec.network.networkID: Invalid value: "{bare}": the network has no IPv4 subnet: create one in OpenStack first',
    ],
  },
  {
    name: 'an existing network for a cluster whose network Fairway created',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { network: { networkID: '{office}' } },
    refused: ['spec.network.networkID: Forbidden: cannot be changed after creation: it was not set'],
  },
  {
    name: 'an existing subnet for a cluster whose network Fairway created',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { network: { networkID: '{office}', subnetID: '{office-0}' } },
    refused: [
      'spec.network.networkID: Forbidden: cannot be changed after creation: it was not set',
      'spec.network.subnetID: Forbidden: cannot be changed after creation: it was not set',
    ],
  },
  {
    name: 'a subnet for load balancers',
    spec: {
      network: {
        networkID: '{twin}',
        subnetID: '{twin-0}',
        loadBalancersSubnetID: '{twin-1}',
        gateway: { mode: 'None' },
      },
    },
  },
  {
    name: 'a load balancer subnet without a router to an external network',
    spec: { network: { networkID: '{twin}', subnetID: '{twin-0}', loadBalancersSubnetID: '{twin-1}' } },
    refused: [
      'spec.network.loadBalancersSubnetID: Invalid value: "{twin-1}": no router connects the subnet to an external network, so load balancers in it would have no public addresses: attach one with `openstack router add subnet ROUTER {twin-1}`, remove the field, or set gateway.mode to Custom or None',
    ],
  },
  {
    name: 'a load balancer subnet without networkID',
    spec: { network: { loadBalancersSubnetID: '{twin-1}' } },
    refused: [
      'spec.network.loadBalancersSubnetID: Invalid value: "{twin-1}": requires networkID, the network of the subnet: set both',
    ],
    refusedByCrd: [
      'spec.network.loadBalancersSubnetID: Invalid value: requires networkID, the network of the subnet: set both',
    ],
  },
  {
    name: 'a load balancer subnet of another network',
    spec: { network: { networkID: '{office}', loadBalancersSubnetID: '{twin-1}' } },
    refused: [
      'spec.network.loadBalancersSubnetID: Not found: "{twin-1}": the cloud has no such subnet of network {office} for this project; there is {office-0} ("office-0")',
    ],
  },
  {
    name: 'a load balancer subnet specified by name',
    spec: { network: { networkID: '{office}', loadBalancersSubnetID: 'office-0' } },
    refused: [
      'spec.network.loadBalancersSubnetID: Invalid value: "office-0": must be the ID (UUID) of an OpenStack resource, not its name',
    ],
  },
  {
    name: 'a range for the nodes',
    spec: { network: { nodesCIDR: '192.168.7.0/24' } },
  },
  {
    name: 'a range with host bits',
    spec: { network: { nodesCIDR: '192.168.7.1/24' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "192.168.7.1/24": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'a range that is a word',
    spec: { network: { nodesCIDR: 'large' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "large": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'a range with octets above 255',
    spec: { network: { nodesCIDR: '192.168.300.0/24' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "192.168.300.0/24": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'a prefix longer than 32',
    spec: { network: { nodesCIDR: '192.168.7.0/33' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "192.168.7.0/33": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'a range of IPv6',
    spec: { network: { nodesCIDR: 'fd00::/64' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "fd00::/64": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'public addresses for the nodes',
    spec: { network: { nodesCIDR: '8.8.8.0/24' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "8.8.8.0/24": must be private: within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16 (RFC 1918)',
    ],
  },
  {
    name: 'a range that is too small',
    spec: { network: { nodesCIDR: '192.168.7.0/29' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "192.168.7.0/29": must be a /28 or larger: the prefix length must be at most 28',
    ],
  },
  {
    name: 'a node CIDR with an existing network',
    spec: { network: { networkID: '{office}', nodesCIDR: '192.168.7.0/24' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "192.168.7.0/24": is only for a subnet that Fairway creates: remove it, or remove networkID',
    ],
    refusedByCrd: [
      'spec.network.nodesCIDR: Invalid value: is only for a subnet that Fairway creates: remove it, or remove networkID',
    ],
  },
  {
    name: 'a node CIDR within the pod CIDR',
    spec: { network: { nodesCIDR: '10.2.0.0/20' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "10.2.0.0/20": the node network 10.2.0.0/20 overlaps the pod network 10.2.0.0/16: choose a CIDR that does not overlap it',
    ],
  },
  {
    name: 'a node CIDR within a reserved range',
    spec: { network: { nodesCIDR: '172.17.4.0/24' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "172.17.4.0/24": the node network 172.17.4.0/24 overlaps the reserved range 172.17.0.0/16: choose a CIDR that does not overlap it',
    ],
  },
  {
    name: 'another range for the nodes',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { network: { nodesCIDR: '192.168.7.0/24' } },
    refused: ['spec.network.nodesCIDR: Forbidden: cannot be changed after creation: it was not set'],
  },
];
