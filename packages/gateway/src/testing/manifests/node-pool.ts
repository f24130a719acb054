import type { Row } from './row.ts';

const DAY = { name: 'office-hours', start: '0 7 * * 1-5', end: '0 20 * * 1-5', minReplicas: 3 };
const autoscaled = (...schedules: readonly object[]) => ({
  clusterName: 'demo',
  flavor: 'b3-8',
  maxReplicas: 10,
  autoscaling: { enabled: true, schedules },
});

export const NODE_POOL_ROWS: readonly Row[] = [
  {
    name: 'autoscaling',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { enabled: true } },
  },
  {
    name: 'autoscaling settings while autoscaling is off',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      autoscaling: { scaleDownUtilizationThreshold: '0.7', scaleDownUnneededTime: '5m', scaleDownUnreadyTime: '1h' },
    },
    warnings: [
      'spec.autoscaling.scaleDownUnneededTime (5m): has no effect while spec.autoscaling.enabled is false',
      'spec.autoscaling.scaleDownUnreadyTime (1h): has no effect while spec.autoscaling.enabled is false',
      'spec.autoscaling.scaleDownUtilizationThreshold (0.7): has no effect while spec.autoscaling.enabled is false',
    ],
  },
  {
    name: 'bounds for office hours',
    spec: autoscaled({ ...DAY, timeZone: 'Europe/Berlin', maxReplicas: 50 }),
    has: { 'spec.autoscaling.schedules': [{ ...DAY, timeZone: 'Europe/Berlin', maxReplicas: 50 }] },
  },
  {
    name: 'schedules while autoscaling is off',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { schedules: [DAY] } },
    refused: [
      'spec.autoscaling.schedules: Invalid value: [{"name":"office-hours","start":"0 7 * * 1-5","end":"0 20 * * 1-5","minReplicas":3,"timeZone":"UTC"}]: has no effect without autoscaling: set spec.autoscaling.enabled to true, or remove it',
    ],
    refusedByCrd: [
      'spec.autoscaling.schedules: Invalid value: has no effect without autoscaling: set spec.autoscaling.enabled to true, or remove it',
    ],
  },
  {
    name: 'two schedules of a name',
    spec: autoscaled(DAY, { ...DAY, minReplicas: 4 }),
    refused: ['spec.autoscaling.schedules[1]: Duplicate value: {"name":"office-hours"}'],
  },
  {
    name: 'a schedule whose name has a space and capitals',
    spec: autoscaled({ ...DAY, name: 'Office Hours' }),
    refused: [
      'spec.autoscaling.schedules[0].name: Invalid value: "Office Hours": must be lowercase letters, digits and "-", such as "office-hours"',
    ],
  },
  {
    name: 'a schedule without an end',
    spec: autoscaled({ name: 'day', start: '0 7 * * *', minReplicas: 3 }),
    refused: ['spec.autoscaling.schedules[0].end: Required value'],
  },
  {
    name: 'a schedule without bounds',
    spec: autoscaled({ name: 'day', start: '0 7 * * *', end: '0 20 * * *' }),
    refused: [
      'spec.autoscaling.schedules: Invalid value: [{"name":"day","start":"0 7 * * *","end":"0 20 * * *","timeZone":"UTC"}]: has an item without effect: set minReplicas, maxReplicas, or both in each item',
    ],
    refusedByCrd: [
      'spec.autoscaling.schedules: Invalid value: has an item without effect: set minReplicas, maxReplicas, or both in each item',
    ],
  },
  {
    name: 'a schedule whose minimum is above its maximum',
    spec: autoscaled({ ...DAY, minReplicas: 11 }),
    refused: [
      'spec.autoscaling.schedules: Invalid value: [{"name":"office-hours","start":"0 7 * * 1-5","end":"0 20 * * 1-5","minReplicas":11,"timeZone":"UTC"}]: has an item whose minReplicas is more than its maxReplicas (if only one is set, the pool\'s value is used for the other): lower it, or raise maxReplicas',
    ],
    refusedByCrd: [
      "spec.autoscaling.schedules: Invalid value: has an item whose minReplicas is more than its maxReplicas (if only one is set, the pool's value is used for the other): lower it, or raise maxReplicas",
    ],
  },
  {
    name: 'a schedule of every minute',
    spec: autoscaled({ ...DAY, start: '* 7 * * *' }),
    refused: [
      'spec.autoscaling.schedules[0].start: Invalid value: "* 7 * * *": matches again after 1 min: leave at least an hour between two times, such as "0 20 * * *"',
    ],
  },
  {
    name: 'a schedule with an offset instead of a time zone',
    spec: autoscaled({ ...DAY, timeZone: '+01:00' }),
    refused: [
      'spec.autoscaling.schedules[0].timeZone: Invalid value: "+01:00": is a UTC offset: use a time zone with daylight saving time rules, such as Europe/Berlin, or UTC',
    ],
  },
  {
    name: 'a priority',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { enabled: true, priority: -3 } },
  },
  {
    name: 'a priority beyond all others',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { enabled: true, priority: 1001 } },
    refused: [
      'spec.autoscaling.priority: Invalid value: 1001: spec.autoscaling.priority in body should be less than or equal to 1000',
    ],
  },
  {
    name: 'a threshold above one',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { scaleDownUtilizationThreshold: '1.5' } },
    refused: [
      'spec.autoscaling.scaleDownUtilizationThreshold: Invalid value: "1.5": must be a number between 0 and 1, such as "0.5"',
    ],
  },
  {
    name: 'a threshold that is a number',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { scaleDownUtilizationThreshold: 0.7 } },
    refused: [
      'spec.autoscaling.scaleDownUtilizationThreshold: Invalid value: "number": spec.autoscaling.scaleDownUtilizationThreshold in body must be of type string: "number"',
    ],
  },
  {
    name: 'a time in days',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { scaleDownUnneededTime: '1d' } },
    refused: [
      'spec.autoscaling.scaleDownUnneededTime: Invalid value: "1d": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'an unready time in words',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { scaleDownUnreadyTime: 'soon' } },
    refused: [
      'spec.autoscaling.scaleDownUnreadyTime: Invalid value: "soon": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'nodes apart',
    spec: { clusterName: 'demo', flavor: 'b3-8', antiAffinity: true },
  },
  {
    name: 'six nodes apart',
    spec: { clusterName: 'demo', flavor: 'b3-8', antiAffinity: true, replicas: 6 },
    refused: [
      'spec.replicas: Invalid value: 6: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
    refusedByCrd: [
      'spec.replicas: Invalid value: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
  },
  {
    name: 'up to six nodes apart',
    spec: { clusterName: 'demo', flavor: 'b3-8', antiAffinity: true, maxReplicas: 6 },
    refused: [
      'spec.maxReplicas: Invalid value: 6: must be at most 5 with antiAffinity, which requires a hypervisor for each node: spread the nodes over several pools, or set antiAffinityPolicy to Soft',
    ],
    refusedByCrd: [
      'spec.maxReplicas: Invalid value: must be at most 5 with antiAffinity, which requires a hypervisor for each node: spread the nodes over several pools, or set antiAffinityPolicy to Soft',
    ],
  },
  {
    name: 'soft anti-affinity',
    spec: { clusterName: 'demo', flavor: 'b3-8', antiAffinity: true, antiAffinityPolicy: 'Soft', replicas: 6 },
  },
  {
    name: 'an anti-affinity policy without anti-affinity',
    spec: { clusterName: 'demo', flavor: 'b3-8', antiAffinityPolicy: 'Soft' },
    refused: [
      'spec.antiAffinityPolicy: Invalid value: "Soft": has no effect without antiAffinity: set spec.antiAffinity to true, or remove it',
    ],
    refusedByCrd: [
      'spec.antiAffinityPolicy: Invalid value: has no effect without antiAffinity: set spec.antiAffinity to true, or remove it',
    ],
  },
  {
    name: 'tags and metadata of servers',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      serverTags: ['team:web', 'a b'],
      serverMetadata: { 'cost center': 'R&D 7' },
    },
  },
  {
    name: 'a tag with a comma',
    spec: { clusterName: 'demo', flavor: 'b3-8', serverTags: ['a,b'] },
    refused: [
      'spec.serverTags[0]: Invalid value: "a,b": must be 1 to 60 ASCII characters without "," and "/", and must not start or end with a space',
    ],
  },
  {
    name: "Fairway's own tags and metadata",
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      serverTags: ['Fairway-cluster-1', 'fairway', 'Web', 'web'],
      serverMetadata: { 'a/b': '', 'fairway.dev.version': '1.30.0' },
    },
    refused: [
      'spec.serverTags[0]: Forbidden: tags "fairway" and "fairway-…" are reserved for Fairway: choose another one',
      'spec.serverTags[1]: Forbidden: tags "fairway" and "fairway-…" are reserved for Fairway: choose another one',
      'spec.serverTags[3]: Invalid value: "web": differs from an earlier one only in case, which some clouds ignore: choose one of them',
      'spec.serverMetadata: Invalid value: "a/b": must have a key of 1 to 255 letters, digits, spaces and "-", "_", ":", "."',
      'spec.serverMetadata[fairway.dev.version]: Forbidden: keys that start with "fairway.dev" are reserved for Fairway: choose another one',
    ],
  },
  {
    name: 'a security group of the project',
    spec: { clusterName: 'demo', flavor: 'b3-8', securityGroups: ['default'] },
    has: { 'spec.securityGroups': ['default'] },
  },
  {
    name: 'a security group that the cloud does not have',
    spec: { clusterName: 'demo', flavor: 'b3-8', securityGroups: ['defualt', 'default'] },
    refused: [
      'spec.securityGroups[0]: Not found: "defualt": the cloud offers this project no such security group; did you mean "default"?',
    ],
  },
  {
    name: 'a security group twice',
    spec: { clusterName: 'demo', flavor: 'b3-8', securityGroups: ['default', 'default'] },
    refused: ['spec.securityGroups[1]: Duplicate value: "default"'],
  },
  {
    name: 'a security group with a space in its name',
    spec: { clusterName: 'demo', flavor: 'b3-8', securityGroups: ['a b'] },
    refused: [
      'spec.securityGroups[0]: Invalid value: "a b": must be 1 to 255 ASCII characters without spaces: use the ID of a group with another name',
    ],
  },
  {
    name: 'additional networks',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      networks: [{ networkID: '{office}' }, { networkID: '{twin}', subnetID: '{twin-0}' }],
    },
  },
  {
    name: 'an additional network specified by name',
    spec: { clusterName: 'demo', flavor: 'b3-8', networks: [{ networkID: 'office' }] },
    refused: [
      'spec.networks[0].networkID: Invalid value: "office": must be the ID (UUID) of an OpenStack resource, not its name',
    ],
  },
  {
    name: 'an additional network twice',
    spec: { clusterName: 'demo', flavor: 'b3-8', networks: [{ networkID: '{office}' }, { networkID: '{office}' }] },
    refused: ['spec.networks[1]: Duplicate value: {"networkID":"{office}"}'],
  },
  {
    name: 'additional networks that servers cannot use',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      networks: [
        { networkID: '{public}' },
        { networkID: '{twin}' },
        { networkID: '{bare}' },
        { networkID: '{inside}' },
        { networkID: '{office}', subnetID: '{twin-0}' },
      ],
    },
    refused: [
      'spec.networks[0].networkID: Invalid value: "{public}": network "public" is external: choose a network of the project',
      'spec.networks[1].subnetID: Required value: the network has 2 IPv4 subnets: choose one of {twin-0} ("twin-0", 10.92.0.0/24), {twin-1} ("twin-1", 10.93.0.0/24)',
      'spec.networks[2].networkID: Invalid value: "{bare}": the network has no IPv4 subnet: create one in it',
      'spec.networks[3].networkID: Invalid value: "{inside}": subnet {inside-0} has the CIDR 10.2.8.0/24, which overlaps the pod network 10.2.0.0/16: choose a network with another CIDR',
      'spec.networks[4].subnetID: Invalid value: "{twin-0}": network {office} has no such subnet; it has {office-0} ("office-0", 10.91.0.0/24)',
    ],
  },
  {
    name: 'an additional network that the plan does not list',
    spec: { clusterName: 'listed', flavor: 'b3-8', networks: [{ networkID: '{twin}', subnetID: '{twin-0}' }] },
    refused: [
      'spec.networks[0].networkID: Invalid value: "{twin}": plan "listed" allows the networks "office": choose one of them, or another plan',
    ],
  },
  {
    name: 'settings of kubelet',
    spec: { clusterName: 'demo', flavor: 'b3-8', kubelet: { maxPods: 64, evictionHard: { 'memory.available': '5%' } } },
  },
  {
    name: 'settings that kubelet refuses in combination',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      kubelet: { imageGCHighThresholdPercent: 70, maxParallelImagePulls: 3, systemReserved: { memory: 'much' } },
    },
    refused: [
      'spec.kubelet.systemReserved[memory]: Invalid value: "much": must be an amount such as 1Gi',
      'spec.kubelet.imageGCHighThresholdPercent: Invalid value: 70: imageGCLowThresholdPercent (80) must be less than imageGCHighThresholdPercent (70): set both',
      'spec.kubelet.maxParallelImagePulls: Invalid value: 3: must be 1 unless serializeImagePulls is false: set both',
    ],
  },
  {
    name: 'an unsafe sysctl and more pods than the plan allows',
    spec: { clusterName: 'demo', flavor: 'b3-8', kubelet: { allowedUnsafeSysctls: ['net.core.somaxconn'] } },
    refused: ['spec.kubelet: Forbidden: plan "free" allows the allowedUnsafeSysctls none: remove net.core.somaxconn'],
  },
  {
    name: 'nodes apart, later',
    isUpdate: true,
    metadata: { name: 'demo-general' },
    spec: { antiAffinity: true },
    refused: ['spec.antiAffinity: Forbidden: cannot be changed after creation: it is false'],
  },
  {
    name: 'zones',
    spec: { clusterName: 'demo', flavor: 'b3-8', availabilityZones: ['nova-a', 'nova-b'] },
  },
  {
    name: 'a zone that the cloud lacks',
    spec: { clusterName: 'demo', flavor: 'b3-8', availabilityZones: ['nova-a', 'nova-z'] },
    refused: [
      'spec.availabilityZones[1]: Not found: "nova-z": the cloud offers this project no such availability zone; did you mean "nova-a" or "nova-b" or "nova-c"?',
    ],
  },
  {
    name: 'a zone with a host',
    spec: { clusterName: 'demo', flavor: 'b3-8', availabilityZones: ['nova-a:compute-1'] },
    refused: [
      'spec.availabilityZones[0]: Invalid value: "nova-a:compute-1": must be the name of a zone, such as "nova", without ":" and a host',
    ],
  },
  {
    name: 'a zone twice',
    spec: { clusterName: 'demo', flavor: 'b3-8', availabilityZones: ['nova-a', 'nova-a'] },
    refused: ['spec.availabilityZones[1]: Duplicate value: "nova-a"'],
  },
  {
    name: 'zones as a text',
    spec: { clusterName: 'demo', flavor: 'b3-8', availabilityZones: 'nova-a' },
    refused: [
      'spec.availabilityZones: Invalid value: "string": spec.availabilityZones in body must be of type array: "string"',
    ],
  },
  {
    name: 'other zones',
    isUpdate: true,
    metadata: { name: 'demo-general' },
    spec: { availabilityZones: ['nova-b'] },
    has: { 'spec.availabilityZones': ['nova-b'] },
  },
  {
    name: 'a change to a zone that the cloud does not have',
    isUpdate: true,
    metadata: { name: 'demo-general' },
    spec: { availabilityZones: ['nova-a', 'nova-z'] },
    refused: [
      'spec.availabilityZones[1]: Not found: "nova-z": the cloud offers this project no such availability zone; did you mean "nova-a" or "nova-b" or "nova-c"?',
    ],
  },
  {
    name: 'a field that does not exist',
    spec: { clusterName: 'demo', flavor: 'b3-8', size: 3 },
    refused: [
      'NodePool in version "v1alpha1" cannot be handled as a NodePool: strict decoding error: unknown field "spec.size"',
    ],
  },
  {
    name: 'a name of 33 characters',
    metadata: { name: 'abcdefghijklmnopqrstuvwxyzabcdefg' },
    spec: { clusterName: 'demo', flavor: 'b3-8' },
    refused: [
      'metadata.name: Invalid value: "abcdefghijklmnopqrstuvwxyzabcdefg": must be at most 32 characters, so that the names of servers and nodes are at most 63',
    ],
    refusedByCrd: [
      'metadata.name: Invalid value: must be at most 32 characters, so that the names of servers and nodes are at most 63',
    ],
  },
  {
    name: 'a name with an underscore',
    metadata: { name: 'my_pool' },
    spec: { clusterName: 'demo', flavor: 'b3-8' },
    refused: [
      'metadata.name: Invalid value: "my_pool": must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
    refusedByCrd: [
      "metadata.name: Invalid value: \"my_pool\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'metadata.name: Invalid value: must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
  },
  {
    name: 'a name that ends with a dash',
    metadata: { name: 'pool-' },
    spec: { clusterName: 'demo', flavor: 'b3-8' },
    refused: [
      'metadata.name: Invalid value: "pool-": must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
    refusedByCrd: [
      "metadata.name: Invalid value: \"pool-\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'metadata.name: Invalid value: must consist of lowercase letters, digits and "-", start with a letter and end with a letter or digit',
    ],
  },
];
