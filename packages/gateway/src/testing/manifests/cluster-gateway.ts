import type { Row } from './row.ts';

const NO_OWN_GATEWAY =
  'requires a network and router created by Fairway: remove networkID and gateway.routerID, and keep gateway.mode at Router';
const NO_GATEWAY = 'is only for a pod network that you install yourself: set spec.cni.type to none';

export const CLUSTER_GATEWAY_ROWS: readonly Row[] = [
  {
    name: 'routes to pods',
    spec: { cni: { type: 'none' }, network: { podRoutes: 'Router' } },
  },
  {
    name: 'no routes to pods',
    spec: { network: { podRoutes: 'None' } },
  },
  {
    name: 'pod routes with an overlay pod network',
    spec: { cni: { type: 'canal' }, network: { podRoutes: 'Router' } },
    refused: [`spec.network.podRoutes: Invalid value: "Router": ${NO_GATEWAY}`],
    refusedByCrd: [`spec.network.podRoutes: Invalid value: ${NO_GATEWAY}`],
  },
  {
    name: 'pod routes in an existing network',
    spec: { cni: { type: 'none' }, network: { networkID: '{office}', podRoutes: 'Router' } },
    refused: [`spec.network.podRoutes: Invalid value: "Router": ${NO_OWN_GATEWAY}`],
    refusedByCrd: [`spec.network.podRoutes: Invalid value: ${NO_OWN_GATEWAY}`],
  },
  {
    name: 'name servers',
    spec: { network: { dnsNameservers: ['9.9.9.9', '1.1.1.1'] } },
  },
  {
    name: 'name servers by name',
    spec: { network: { dnsNameservers: ['dns.example.org'] } },
    refused: [
      'spec.network.dnsNameservers[0]: Invalid value: "dns.example.org": must be an IPv4 address such as 192.168.0.1',
    ],
  },
  {
    name: 'a name server twice',
    spec: { network: { dnsNameservers: ['9.9.9.9', '9.9.9.9'] } },
    refused: ['spec.network.dnsNameservers[1]: Duplicate value: "9.9.9.9"'],
  },
  {
    name: 'six name servers',
    spec: { network: { dnsNameservers: ['9.9.9.1', '9.9.9.2', '9.9.9.3', '9.9.9.4', '9.9.9.5', '9.9.9.6'] } },
    refused: ['spec.network.dnsNameservers: Too many: 6: must have at most 5 items'],
  },
  {
    name: 'DNS servers with an existing network',
    spec: { network: { networkID: '{office}', dnsNameservers: ['9.9.9.9'] } },
    refused: [
      'spec.network.dnsNameservers: Invalid value: ["9.9.9.9"]: is only for a subnet that Fairway creates: set the DNS servers of the existing subnet in OpenStack instead',
    ],
    refusedByCrd: [
      'spec.network.dnsNameservers: Invalid value: is only for a subnet that Fairway creates: set the DNS servers of the existing subnet in OpenStack instead',
    ],
  },
  {
    name: 'an external network as the gateway',
    spec: { network: { gateway: { externalNetworkID: '{public}' } } },
  },
  {
    name: 'a gateway network that is not external',
    spec: { network: { gateway: { externalNetworkID: '{office}' } } },
    refused: [
      'spec.network.gateway.externalNetworkID: Not found: "{office}": the cloud has no such external network for this project; there is {public} ("public")',
    ],
  },
  {
    name: 'an external network specified by name',
    spec: { network: { gateway: { externalNetworkID: 'public' } } },
    refused: [
      'spec.network.gateway.externalNetworkID: Invalid value: "public": must be the ID (UUID) of an OpenStack resource, not its name',
    ],
  },
  {
    name: 'a router that the cloud lacks',
    spec: { network: { gateway: { routerID: '00000000-0000-4000-8000-000000000000' } } },
    refused: [
      'spec.network.gateway.routerID: Not found: "00000000-0000-4000-8000-000000000000": the cloud has no such router for this project; there is {closed} ("closed")',
    ],
  },
  {
    name: 'a router by its name',
    spec: { network: { gateway: { routerID: 'closed' } } },
    refused: [
      'spec.network.gateway.routerID: Invalid value: "closed": must be the ID (UUID) of an OpenStack resource, not its name',
    ],
  },
  {
    name: 'a router that is not attached to the subnet',
    spec: { network: { networkID: '{twin}', subnetID: '{twin-0}', gateway: { routerID: '{closed}' } } },
    refused: [
      'spec.network.gateway.routerID: Invalid value: "{closed}": router {closed} ("closed") is not attached to subnet {twin-0} of the nodes: attach it with `openstack router add subnet {closed} {twin-0}`, or remove the field',
    ],
  },
  {
    name: 'a router without an external gateway, although the plan requires one',
    spec: { plan: 'standard', network: { networkID: '{office}' } },
    refused: [
      'spec.network.gateway.mode: Invalid value: "Router": plan "standard" requires a router to the Internet, but router {closed} ("closed") has no external gateway: set it with `openstack router set --external-gateway NETWORK {closed}`',
    ],
  },
  {
    name: 'no router, although the plan requires one',
    spec: { plan: 'standard', network: { gateway: { mode: 'None' } } },
    refused: [
      'spec.network.gateway.mode: Invalid value: "None": plan "standard" requires an OpenStack router for the nodes: set mode to Router',
    ],
  },
  {
    name: 'no way out',
    spec: { network: { gateway: { mode: 'None' } } },
  },
  {
    name: 'a gateway of another kind',
    spec: { network: { gateway: { mode: 'Nat' } } },
    refused: ['spec.network.gateway.mode: Unsupported value: "Nat": supported values: "Router", "Custom", "None"'],
  },
  {
    name: 'an external network without a router',
    spec: { network: { gateway: { mode: 'None', externalNetworkID: '{public}' } } },
    refused: [
      'spec.network.gateway.externalNetworkID: Invalid value: "{public}": is only for mode Router: remove it, or set mode to Router',
    ],
    refusedByCrd: [
      'spec.network.gateway.externalNetworkID: Invalid value: is only for mode Router: remove it, or set mode to Router',
    ],
  },
  {
    name: 'a router beside mode None',
    spec: { network: { gateway: { mode: 'None', routerID: '{closed}' } } },
    refused: [
      'spec.network.gateway.routerID: Invalid value: "{closed}": is only for mode Router: remove it, or set mode to Router',
    ],
    refusedByCrd: [
      'spec.network.gateway.routerID: Invalid value: is only for mode Router: remove it, or set mode to Router',
    ],
  },
  {
    name: 'a gateway of the user',
    spec: { network: { gateway: { mode: 'Custom', address: '10.1.0.9' } } },
  },
  {
    name: 'a custom gateway outside the node CIDR',
    spec: { network: { gateway: { mode: 'Custom', address: '10.99.0.1' } } },
    refused: [
      'spec.network.gateway.address: Invalid value: "10.99.0.1": is outside the nodes\' CIDR 10.1.0.0/20, so nodes could not reach it: choose an address in it',
    ],
  },
  {
    name: 'a gateway that is the broadcast address',
    spec: { network: { gateway: { mode: 'Custom', address: '10.1.15.255' } } },
    refused: [
      'spec.network.gateway.address: Invalid value: "10.1.15.255": is the broadcast address of the nodes\' CIDR 10.1.0.0/20: choose another address in it',
    ],
  },
  {
    name: 'a gateway by name',
    spec: { network: { gateway: { mode: 'Custom', address: 'gateway.example.org' } } },
    refused: [
      'spec.network.gateway.address: Invalid value: "gateway.example.org": must be an IPv4 address such as 192.168.0.1',
    ],
  },
  {
    name: 'the address of a gateway in mode Router',
    spec: { network: { gateway: { address: '10.1.0.9' } } },
    refused: [
      'spec.network.gateway.address: Invalid value: "10.1.0.9": is only for mode Custom: remove it, or set mode to Custom',
    ],
    refusedByCrd: [
      'spec.network.gateway.address: Invalid value: is only for mode Custom: remove it, or set mode to Custom',
    ],
  },
  {
    name: 'a gateway other than that of the subnet',
    spec: { network: { networkID: '{office}', gateway: { mode: 'Custom', address: '10.91.0.7' } } },
    refused: [
      'spec.network.gateway.address: Invalid value: "10.91.0.7": nodes use the gateway_ip of the subnet, which is 10.91.0.1 for subnet {office-0}: set it with `openstack subnet set --gateway ADDRESS {office-0}`, or remove the field',
    ],
  },
  {
    name: 'no router, although a pool has floating IPs',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { network: { gateway: { mode: 'None' } } },
    refused: [
      'spec.network.gateway.mode: Invalid value: "None": node pool "demo-general" of the cluster has floating IPs, which need a router in front of the nodes: set it to Router, or disable floating IPs in the pool',
    ],
  },
];
