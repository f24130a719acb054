import type { Row } from './row.ts';

export const NODE_POOL_NODES_ROWS: readonly Row[] = [
  {
    name: 'labels',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: { metadata: { labels: { team: 'blue', 'example.org/tier': 'web' } } },
    },
  },
  {
    name: 'a key of a label with a space',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { metadata: { labels: { 'my team': 'blue' } } } },
    refused: [
      'spec.template.metadata.labels: Invalid value: "my team": must be a name of at most 63 letters, digits, "-", "_" and ".", after an optional domain and "/"',
    ],
  },
  {
    name: 'a label value with a space',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { metadata: { labels: { team: 'the blue ones' } } } },
    refused: [
      'spec.template.metadata.labels[team]: Invalid value: "the blue ones": must be empty or at most 63 letters, digits, "-", "_" and ".", starting and ending with a letter or digit',
    ],
  },
  {
    name: 'a label value that is a number',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { metadata: { labels: { tier: 1 } } } },
    refused: [
      'spec.template.metadata.labels.tier: Invalid value: "integer": spec.template.metadata.labels.tier in body must be of type string: "integer"',
    ],
  },
  {
    name: 'a label that is set from the server',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: { metadata: { labels: { 'topology.kubernetes.io/zone': 'nova-a' } } },
    },
    refused: [
      'spec.template.metadata.labels[topology.kubernetes.io/zone]: Forbidden: is set from the server: remove it',
    ],
  },
  {
    name: 'a label in a Kubernetes domain',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { metadata: { labels: { 'scheduler.k8s.io/x': 'y' } } } },
    refused: [
      'spec.template.metadata.labels[scheduler.k8s.io/x]: Forbidden: the domain scheduler.k8s.io is reserved by Kubernetes: use your own domain, or one of kubelet.kubernetes.io, node.kubernetes.io, node-restriction.kubernetes.io, node-role.kubernetes.io',
    ],
  },
  {
    name: 'a label of a role',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: { metadata: { labels: { 'node-role.kubernetes.io/worker': '' } } },
    },
  },
  {
    name: "a label of Fairway's domain",
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { metadata: { labels: { 'fairway.dev/pool': 'mine' } } } },
    refused: [
      'spec.template.metadata.labels[fairway.dev/pool]: Forbidden: the domain fairway.dev is reserved for Fairway',
    ],
  },
  {
    name: 'annotations',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: { metadata: { annotations: { 'example.org/note': 'any text, with spaces' } } },
    },
  },
  {
    name: 'an annotation key with two slashes',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { metadata: { annotations: { 'a/b/c': '' } } } },
    refused: [
      'spec.template.metadata.annotations: Invalid value: "a/b/c": must be a name of at most 63 letters, digits, "-", "_" and ".", after an optional domain and "/"',
    ],
  },
  {
    name: 'finalizers',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { metadata: { finalizers: ['example.org/drain'] } } },
  },
  {
    name: 'a finalizer without a domain',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { metadata: { finalizers: ['drain'] } } },
    refused: [
      'spec.template.metadata.finalizers[0]: Invalid value: "drain": must have a domain prefix: example.com/name',
    ],
  },
  {
    name: 'taints',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: { spec: { taints: [{ key: 'gpu', value: 'true', effect: 'NoSchedule' }] } },
    },
  },
  {
    name: 'a taint without an effect',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { spec: { taints: [{ key: 'gpu' }] } } },
    refused: ['spec.template.spec.taints[0].effect: Required value'],
  },
  {
    name: 'a taint of another effect',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { spec: { taints: [{ key: 'gpu', effect: 'NoPods' }] } } },
    refused: [
      'spec.template.spec.taints[0].effect: Unsupported value: "NoPods": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  },
  {
    name: 'a taint twice',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: {
        spec: {
          taints: [
            { key: 'gpu', effect: 'NoSchedule' },
            { key: 'gpu', value: 'x', effect: 'NoSchedule' },
          ],
        },
      },
    },
    refused: ['spec.template.spec.taints[1]: Duplicate value: {"key":"gpu","effect":"NoSchedule"}'],
    refusedByKubernetes: ['spec.template.spec.taints[1]: Duplicate value: {"effect":"NoSchedule","key":"gpu"}'],
  },
  {
    name: 'a taint that reflects the state of a node',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] } },
    },
    refused: [
      'spec.template.spec.taints[0].key: Forbidden: node.kubernetes.io/unreachable is set and cleared by Kubernetes',
    ],
  },
  {
    name: 'a key of a taint with a space',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: { spec: { taints: [{ key: 'my gpu', effect: 'NoSchedule' }] } },
    },
    refused: [
      'spec.template.spec.taints[0].key: Invalid value: "my gpu": must be a name of at most 63 letters, digits, "-", "_" and ".", after an optional domain and "/"',
    ],
  },
  {
    name: 'a taint value with a space',
    spec: {
      clusterName: 'demo',
      flavor: 'b3-8',
      template: { spec: { taints: [{ key: 'gpu', value: 'not good', effect: 'NoSchedule' }] } },
    },
    refused: [
      'spec.template.spec.taints[0].value: Invalid value: "not good": must be empty or at most 63 letters, digits, "-", "_" and ".", starting and ending with a letter or digit',
    ],
  },
  {
    name: 'cordoned nodes',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { spec: { unschedulable: true } } },
  },
  {
    name: 'a template with a field that only Nodes have',
    spec: { clusterName: 'demo', flavor: 'b3-8', template: { spec: { podCIDR: '10.2.0.0/24' } } },
    refused: [
      'NodePool in version "v1alpha1" cannot be handled as a NodePool: strict decoding error: unknown field "spec.template.spec.podCIDR"',
    ],
  },
];
