import type { Row } from './row.ts';

export const CLUSTER_OFFER_ROWS: readonly Row[] = [
  {
    name: 'nothing but a name',
    spec: {},
    has: {
      'spec.plan': 'free',
      'spec.updatePolicy': 'AlwaysUpdate',
      'spec.network.gateway.mode': 'Router',
      'spec.kubeProxy': {},
      'spec.cni': {},
      'spec.apiServer.admissionPlugins.enabled': ['AlwaysPullImages', 'NodeRestriction'],
      'spec.apiServer.admissionPlugins.disabled': [],
    },
  },
  {
    name: 'an empty name of a plan',
    spec: { plan: '' },
    refused: ['spec.plan: Invalid value: "": spec.plan in body should be at least 1 chars long'],
  },
  {
    name: 'a plan that is not offered',
    spec: { plan: 'standrad' },
    refused: ['spec.plan: Not found: "standrad": the operator offers no such plan; did you mean "standard"?'],
  },
  {
    name: 'a plan that is no text',
    spec: { plan: 5 },
    refused: ['spec.plan: Invalid value: "integer": spec.plan in body must be of type string: "integer"'],
  },
  {
    name: 'a plan that is not Ready',
    spec: { plan: 'broken' },
    refused: [
      'spec.plan: Forbidden: plan "broken" is not Ready and accepts no clusters: spec.etcd.maxMiB: 5: must not be less than baseMiB (10): raise it, or lower baseMiB; choose another plan, or ask the operator to fix it',
    ],
  },
  {
    name: 'one cluster more than the plan allows per namespace',
    spec: { plan: 'small' },
    refused: [
      'spec.plan: Forbidden: the namespace has 1 cluster of plan "small", which is its limit: delete one, or choose another plan',
    ],
  },
  {
    name: 'another plan',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { plan: 'custom' },
  },
  {
    name: 'another plan, which does not allow the region of the cluster',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { plan: 'elsewhere' },
    refused: [
      'spec.region: Invalid value: "RegionOne": plan "elsewhere" allows the regions "RegionTwo": choose one of them, or another plan',
    ],
  },
  {
    name: 'a minor version',
    spec: { version: '1.37' },
  },
  {
    name: 'an exact version',
    spec: { version: '1.37.0' },
  },
  {
    name: 'a version with a v',
    spec: { version: 'v1.37' },
    refused: ['spec.version: Invalid value: "v1.37": must be a Kubernetes version such as 1.34 or 1.34.2'],
  },
  {
    name: 'a version as a number',
    spec: { version: 1.37 },
    refused: ['spec.version: Invalid value: "number": spec.version in body must be of type string: "number"'],
  },
  {
    name: 'a version that is not in the catalog',
    spec: { version: '1.99' },
    refused: [
      'spec.version: Invalid value: "1.99": is not in the catalog; choose one of 1.36 (1.36.1), 1.37 (1.37.0), 1.38 (1.38.0)',
    ],
  },
  {
    name: 'a patch that is not in the catalog',
    spec: { version: '1.37.9' },
    refused: [
      'spec.version: Invalid value: "1.37.9": is not in the catalog; choose one of 1.36 (1.36.1), 1.37 (1.37.0), 1.38 (1.38.0)',
    ],
  },
  {
    name: 'a withdrawn patch',
    spec: { version: '1.37.1' },
    refused: [
      'spec.version: Invalid value: "1.37.1": has been withdrawn; choose one of 1.36 (1.36.1), 1.37 (1.37.0), 1.38 (1.38.0)',
    ],
  },
  {
    name: 'a deprecated version',
    spec: { version: '1.35' },
    refused: [
      'spec.version: Invalid value: "1.35": is deprecated: only existing clusters can keep it; choose one of 1.36 (1.36.1), 1.37 (1.37.0), 1.38 (1.38.0)',
    ],
  },
  {
    name: 'a version at its end of life',
    spec: { version: '1.34' },
    refused: [
      'spec.version: Invalid value: "1.34": has reached its end of life; choose one of 1.36 (1.36.1), 1.37 (1.37.0), 1.38 (1.38.0)',
    ],
  },
  {
    name: 'a preview version, requested explicitly',
    spec: { version: '1.38' },
  },
  {
    name: 'the next patch',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { version: '1.36.1' },
  },
  {
    name: 'the next minor version',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { version: '1.37' },
  },
  {
    name: 'two minor versions at once',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { version: '1.38' },
    refused: [
      'spec.version: Invalid value: "1.38": skips a minor version: the cluster runs 1.36.0, so upgrade to 1.37 first',
    ],
  },
  {
    name: 'an older version',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { version: '1.35' },
    refused: [
      'spec.version: Invalid value: "1.35": is older than 1.36.0, which the cluster runs: Kubernetes cannot be downgraded',
    ],
  },
  {
    name: 'another major version',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { version: '2.0' },
    refused: ['spec.version: Invalid value: "2.0": is another major version than 1.36.0, to which there is no upgrade'],
  },
  {
    name: 'an upgrade to a withdrawn patch',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { version: '1.37.1' },
    refused: ['spec.version: Invalid value: "1.37.1": has been withdrawn; choose one of 1.36 (1.36.1), 1.37 (1.37.0)'],
  },
  {
    name: 'a region',
    spec: { region: 'RegionOne' },
  },
];
