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
    name: 'settings of autoscaling that is off',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      autoscaling: { scaleDownUtilizationThreshold: '0.7', scaleDownUnneededTime: '5m', scaleDownUnreadyTime: '1h' },
    },
    warns: [
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
    name: 'bounds at some times while autoscaling is off',
    spec: { clusterName: 'demo', flavor: 'b3-8', autoscaling: { schedules: [DAY] } },
    refused: [
      'spec.autoscaling.schedules: Invalid value: [{"name":"office-hours","start":"0 7 * * 1-5","end":"0 20 * * 1-5","minReplicas":3,"timeZone":"UTC"}]: are bounds of autoscaling, which is off: set spec.autoscaling.enabled to true, or leave them out',
    ],
    refusedByCrd: [
      'spec.autoscaling.schedules: Invalid value: are bounds of autoscaling, which is off: set spec.autoscaling.enabled to true, or leave them out',
    ],
  },
  {
    name: 'two schedules of a name',
    spec: autoscaled(DAY, { ...DAY, minReplicas: 4 }),
    refused: ['spec.autoscaling.schedules[1]: Duplicate value: {"name":"office-hours"}'],
  },
  {
    name: 'a schedule with a name in words',
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
      'spec.autoscaling.schedules: Invalid value: [{"name":"day","start":"0 7 * * *","end":"0 20 * * *","timeZone":"UTC"}]: has an item that does nothing: give each of them minReplicas, maxReplicas, or both',
    ],
    refusedByCrd: [
      'spec.autoscaling.schedules: Invalid value: has an item that does nothing: give each of them minReplicas, maxReplicas, or both',
    ],
  },
  {
    name: 'a schedule of more nodes at least than at most',
    spec: autoscaled({ ...DAY, minReplicas: 11 }),
    refused: [
      'spec.autoscaling.schedules: Invalid value: [{"name":"office-hours","start":"0 7 * * 1-5","end":"0 20 * * 1-5","minReplicas":11,"timeZone":"UTC"}]: has an item whose minReplicas is more than its maxReplicas (where it has one of them alone, the other is the pool\'s): lower it, or raise maxReplicas',
    ],
    refusedByCrd: [
      "spec.autoscaling.schedules: Invalid value: has an item whose minReplicas is more than its maxReplicas (where it has one of them alone, the other is the pool's): lower it, or raise maxReplicas",
    ],
  },
  {
    name: 'a schedule of every minute',
    spec: autoscaled({ ...DAY, start: '* 7 * * *' }),
    refused: [
      'spec.autoscaling.schedules[0].start: Invalid value: "* 7 * * *": comes again after 1 min: leave at least an hour between two times, such as "0 20 * * *"',
    ],
  },
  {
    name: 'a schedule in another time zone than there is',
    spec: autoscaled({ ...DAY, timeZone: '+01:00' }),
    refused: [
      'spec.autoscaling.schedules[0].timeZone: Invalid value: "+01:00": is an offset: name a time zone such as Europe/Berlin, which knows about daylight saving time, or UTC',
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
      'spec.autoscaling.scaleDownUtilizationThreshold: Invalid value: "1.5": must be a share between 0 and 1, such as "0.5"',
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
      'spec.replicas: Invalid value: 6: must not be more than maxReplicas (which is 100, or 5 with antiAffinity, where it is left out): lower it, or raise maxReplicas',
    ],
    refusedByCrd: [
      'spec.replicas: Invalid value: must not be more than maxReplicas (which is 100, or 5 with antiAffinity, where it is left out): lower it, or raise maxReplicas',
    ],
  },
  {
    name: 'up to six nodes apart',
    spec: { clusterName: 'demo', flavor: 'b3-8', antiAffinity: true, maxReplicas: 6 },
    refused: [
      'spec.maxReplicas: Invalid value: 6: must not be more than 5 with antiAffinity, which needs a hypervisor for each node: spread the nodes over several pools',
    ],
    refusedByCrd: [
      'spec.maxReplicas: Invalid value: must not be more than 5 with antiAffinity, which needs a hypervisor for each node: spread the nodes over several pools',
    ],
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
    name: 'another zone, which the cloud lacks',
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
      'metadata.name: Invalid value: "abcdefghijklmnopqrstuvwxyzabcdefg": must be no more than 32 characters, so that the names of servers and nodes stay within 63',
    ],
    refusedByCrd: [
      'metadata.name: Invalid value: must be no more than 32 characters, so that the names of servers and nodes stay within 63',
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
