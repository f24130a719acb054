import type { Row } from './row.ts';

export const NODE_POOL_SERVERS_ROWS: readonly Row[] = [
  {
    name: 'floating IPs',
    spec: { clusterName: 'demo', flavor: 'b3-8', floatingIPs: { enabled: true } },
  },
  {
    name: 'floating IPs without a router',
    spec: { clusterName: 'alone', flavor: 'b3-8', floatingIPs: { enabled: true } },
    refused: [
      'spec.floatingIPs.enabled: Invalid value: true: floating IPs need a router in front of the nodes, but cluster "alone" has gateway mode None: set it to Router, or disable floating IPs',
    ],
  },
  {
    name: 'a root volume',
    spec: { clusterName: 'demo', flavor: 'b3-8', rootVolume: { sizeGiB: 50 } },
  },
  {
    name: 'a root volume that is too small',
    spec: { clusterName: 'demo', flavor: 'b3-8', rootVolume: { sizeGiB: 5 } },
    refused: [
      'spec.rootVolume.sizeGiB: Invalid value: 5: spec.rootVolume.sizeGiB in body should be greater than or equal to 10',
    ],
  },
  {
    name: 'a root volume that is too large',
    spec: { clusterName: 'demo', flavor: 'b3-8', rootVolume: { sizeGiB: 20000 } },
    refused: [
      'spec.rootVolume.sizeGiB: Invalid value: 20000: spec.rootVolume.sizeGiB in body should be less than or equal to 16384',
    ],
  },
  {
    name: 'a root volume without a size',
    spec: { clusterName: 'demo', flavor: 'b3-8', rootVolume: {} },
    refused: ['spec.rootVolume.sizeGiB: Required value'],
  },
  {
    name: 'a root volume with a unit',
    spec: { clusterName: 'demo', flavor: 'b3-8', rootVolume: { sizeGiB: '50Gi' } },
    refused: [
      'spec.rootVolume.sizeGiB: Invalid value: "string": spec.rootVolume.sizeGiB in body must be of type integer: "string"',
    ],
  },
  {
    name: 'a root volume with a type',
    spec: { clusterName: 'demo', flavor: 'b3-8', rootVolume: { sizeGiB: 50, type: 'high-speed' } },
  },
  {
    name: 'a root volume of an unknown type',
    spec: { clusterName: 'demo', flavor: 'b3-8', rootVolume: { sizeGiB: 50, type: 'high-sped' } },
    refused: [
      'spec.rootVolume.type: Not found: "high-sped": the cloud offers this project no such volume type; did you mean "high-speed"?',
    ],
  },
  {
    name: 'an empty type of volume',
    spec: { clusterName: 'demo', flavor: 'b3-8', rootVolume: { sizeGiB: 50, type: '' } },
    refused: ['spec.rootVolume.type: Invalid value: "": spec.rootVolume.type in body should be at least 1 chars long'],
  },
  {
    name: 'an image',
    spec: { clusterName: 'demo', flavor: 'b3-8', image: 'Debian 12' },
  },
  {
    name: 'an image that the cloud lacks',
    spec: { clusterName: 'demo', flavor: 'b3-8', image: 'Debian' },
    refused: [
      'spec.image: Not found: "Debian": the cloud offers this project no such image; did you mean "Debian 12"?',
    ],
  },
  {
    name: 'an image that the plan does not list',
    spec: { clusterName: 'listed', flavor: 'b3-8', image: 'Debian 12' },
    refused: [
      'spec.image: Invalid value: "Debian 12": plan "listed" allows the images "Ubuntu *": choose one of them, or another plan',
    ],
  },
  {
    name: 'a time to join',
    spec: { clusterName: 'demo', flavor: 'b3-8', nodeStartupTimeout: '15m' },
  },
  {
    name: 'a time to join below a minute',
    spec: { clusterName: 'demo', flavor: 'b3-8', nodeStartupTimeout: '30s' },
    refused: [
      'spec.nodeStartupTimeout: Invalid value: "30s": must be a duration of at least one minute, such as 10m or 1h30m',
    ],
  },
  {
    name: 'no healing',
    spec: { clusterName: 'demo', flavor: 'b3-8', healing: { enabled: false } },
  },
  {
    name: 'healing of its own',
    spec: { clusterName: 'demo', flavor: 'b3-8', healing: { notReadyTimeout: '5m', maxUnhealthy: '2' } },
  },
  {
    name: 'healing after half a minute',
    spec: { clusterName: 'demo', flavor: 'b3-8', healing: { notReadyTimeout: '30s' } },
    refused: [
      'spec.healing.notReadyTimeout: Invalid value: "30s": must be a duration of at least one minute, such as 10m or 1h30m',
    ],
  },
  {
    name: 'healing with a maxUnhealthy in words',
    spec: { clusterName: 'demo', flavor: 'b3-8', healing: { maxUnhealthy: 'half' } },
    refused: [
      'spec.healing.maxUnhealthy: Invalid value: "half": must be a percentage such as "40%", or a number of nodes such as "2"',
    ],
  },
  {
    name: 'healing by a reboot',
    spec: { clusterName: 'demo', flavor: 'b3-8', healing: { strategy: 'Reboot' } },
    refused: ['spec.healing.strategy: Unsupported value: "Reboot": supported values: "Reinstall", "Replace"'],
  },
  {
    name: 'a renewal in place',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { type: 'InPlace' } },
  },
  {
    name: 'a rolling upgrade with the plan free',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { type: 'Rolling' } },
    refused: [
      'spec.upgradeStrategy.type: Unsupported value: "Rolling": plan "free" allows the upgrade strategies InPlace: choose one of them, or remove the field',
    ],
  },
  {
    name: 'a renewal of another kind',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { type: 'Recreate' } },
    refused: ['spec.upgradeStrategy.type: Unsupported value: "Recreate": supported values: "InPlace", "Rolling"'],
  },
  {
    name: 'an upgrade strategy that the plan does not list',
    spec: { clusterName: 'listed', flavor: 'b3-8', upgradeStrategy: { type: 'Rolling' } },
    refused: [
      'spec.upgradeStrategy.type: Unsupported value: "Rolling": plan "listed" allows the upgrade strategies InPlace: choose one of them, or remove the field',
    ],
  },
  {
    name: 'three nodes more meanwhile',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { maxSurge: 3, maxUnavailable: 1 } },
  },
  {
    name: 'neither surge nor unavailable nodes',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { maxSurge: 0 } },
    refused: [
      'spec.upgradeStrategy.maxSurge: Invalid value: 0: must not be 0 while maxUnavailable is 0: no node could ever be updated',
    ],
    refusedByCrd: [
      'spec.upgradeStrategy.maxSurge: Invalid value: must not be 0 while maxUnavailable is 0: no node could ever be updated',
    ],
  },
  {
    name: 'eleven nodes more meanwhile',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { maxSurge: 11 } },
    refused: [
      'spec.upgradeStrategy.maxSurge: Invalid value: 11: spec.upgradeStrategy.maxSurge in body should be less than or equal to 10',
    ],
  },
  {
    name: 'a share of nodes meanwhile',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { maxSurge: '100%', maxUnavailable: '25%' } },
    has: { 'spec.upgradeStrategy.maxSurge': '100%', 'spec.upgradeStrategy.maxUnavailable': '25%' },
  },
  {
    name: 'a percentage above 100',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { maxUnavailable: '101%' } },
    refused: [
      'spec.upgradeStrategy.maxUnavailable: Invalid value: "101%": must be a number of nodes from 0 to 10, or a percentage from "0%" to "100%" such as "25%"',
    ],
  },
  {
    name: 'a number of nodes as a text',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { maxSurge: '2' } },
    refused: [
      'spec.upgradeStrategy.maxSurge: Invalid value: "2": must be a number of nodes from 0 to 10, or a percentage from "0%" to "100%" such as "25%"',
    ],
  },
  {
    name: 'a surge of 0% without unavailable nodes',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { maxSurge: '0%' } },
    refused: [
      'spec.upgradeStrategy.maxSurge: Invalid value: "0%": must not be 0 while maxUnavailable is 0: no node could ever be updated',
    ],
    refusedByCrd: [
      'spec.upgradeStrategy.maxSurge: Invalid value: must not be 0 while maxUnavailable is 0: no node could ever be updated',
    ],
  },
  {
    name: 'a surge that is neither a number nor a string',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { maxSurge: true } },
    refused: [
      'spec.upgradeStrategy.maxSurge: Invalid value: "boolean": spec.upgradeStrategy.maxSurge in body must be of type integer,string: "boolean"',
    ],
  },
  {
    name: 'a time to drain',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { drainTimeout: '20m' } },
  },
  {
    name: 'a longer drain timeout than the plan allows',
    spec: { clusterName: 'small', flavor: 'b3-8', upgradeStrategy: { drainTimeout: '1h' } },
    refused: [
      'spec.upgradeStrategy.drainTimeout: Invalid value: "1h": plan "small" allows at most 30m: lower it, or remove the field',
    ],
  },
  {
    name: 'a drain that may wait forever',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { onDrainTimeout: 'Hold' } },
  },
  {
    name: 'a drain that may wait longer than the plan allows',
    spec: { clusterName: 'small', flavor: 'b3-8', upgradeStrategy: { onDrainTimeout: 'Hold' } },
    refused: [
      'spec.upgradeStrategy.onDrainTimeout: Invalid value: "Hold": plan "small" limits drains to 30m (maxDrainTimeout): choose Force, or remove the field',
    ],
  },
  {
    name: 'a drain that gives up',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { onDrainTimeout: 'Abort' } },
    refused: ['spec.upgradeStrategy.onDrainTimeout: Unsupported value: "Abort": supported values: "Force", "Hold"'],
  },
  {
    name: 'a drain timeout that is too long to represent',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { drainTimeout: '99999999999999999999h' } },
    refused: [
      'spec.upgradeStrategy.drainTimeout: Invalid value: "99999999999999999999h": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'a drain timeout without a unit',
    spec: { clusterName: 'demo', flavor: 'b3-8', upgradeStrategy: { drainTimeout: '600' } },
    refused: [
      'spec.upgradeStrategy.drainTimeout: Invalid value: "600": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
];
