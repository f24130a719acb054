import type { Row } from './row.ts';

const CANARY = { isUpdate: true, metadata: { name: 'canary' } };

export const PLAN_SERVICES_ROWS: readonly Row[] = [
  {
    ...CANARY,
    name: 'limits of Services',
    spec: {
      services: {
        types: ['ClusterIP', 'LoadBalancer'],
        ipFamilies: ['IPv4'],
        refusedAnnotations: [{ key: 'loadbalancer.openstack.org/*' }],
        loadBalancerProviders: ['amphora'],
      },
    },
    has: {
      'spec.services.types': ['ClusterIP', 'LoadBalancer'],
      'spec.services.ipFamilies': ['IPv4'],
      'spec.services.refusedAnnotations': [{ key: 'loadbalancer.openstack.org/*' }],
      'spec.services.loadBalancerProviders': ['amphora'],
    },
  },
  {
    ...CANARY,
    name: 'an unknown type of Services',
    spec: { services: { types: ['Headless'] } },
    refused: [
      'spec.services.types[0]: Unsupported value: "Headless": supported values: "ClusterIP", "NodePort", "LoadBalancer", "ExternalName"',
    ],
  },
  {
    ...CANARY,
    name: 'an unknown family of Services',
    spec: { services: { ipFamilies: ['IPv5'] } },
    refused: ['spec.services.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6", "DualStack"'],
  },
  {
    ...CANARY,
    name: 'an annotation with a space',
    spec: { services: { refusedAnnotations: [{ key: 'example.org/ a' }] } },
    refused: [
      'spec.services.refusedAnnotations[0].key: Invalid value: "example.org/ a": must be the key of an annotation, or a pattern with one *, such as "example.org/*"',
    ],
  },
  {
    ...CANARY,
    name: 'an annotation with two wildcards',
    spec: { services: { refusedAnnotations: [{ key: '*.example.org/*', values: ['a*', '*a*'] }] } },
    refused: [
      'spec.services.refusedAnnotations[0].key: Invalid value: "*.example.org/*": must be the key of an annotation, or a pattern with one *, such as "example.org/*"',
      'spec.services.refusedAnnotations[0].values[1]: Invalid value: "*a*": must be a value, or a pattern with one *, such as "ovn*"',
    ],
  },
  {
    ...CANARY,
    name: 'an annotation without values',
    spec: { services: { refusedAnnotations: [{ key: 'example.org/a', values: [] }] } },
    refused: [
      'spec.services.refusedAnnotations[0].values: Invalid value: 0: spec.services.refusedAnnotations[0].values in body should have at least 1 items',
    ],
    refusedByKubernetes: [
      'spec.services.refusedAnnotations[0].values: Invalid value: 0: spec.services.refusedAnnotations[0].values in body should have at least 1 items',
    ],
  },
  {
    ...CANARY,
    name: 'a provider without a name',
    spec: { services: { loadBalancerProviders: [''] } },
    refused: [
      'spec.services.loadBalancerProviders[0]: Invalid value: "": spec.services.loadBalancerProviders[0] in body should be at least 1 chars long',
    ],
  },
];
