import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Schema } from '@fairway/apiserver/schema/schema';
import type { AddonObject } from '../addon.ts';
import { INT_OR_STRING, INTEGER, listOf, objectOf, TEXT } from '../schema-parts.ts';
import { GLOBAL_POLICY, POLICY } from './policy-schema.ts';

/** Where Felix reads its settings and policies: https://docs.tigera.io/calico/latest/reference/resources */
export const CALICO_GROUP = 'crd.projectcalico.org';

interface CalicoKind {
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced?: boolean;
  readonly spec: Schema;
}

const HOST_PORT = objectOf({ name: TEXT, port: INTEGER, protocol: INT_OR_STRING }, ['name', 'port', 'protocol']);

/**
 * Kinds that Felix writes, and kinds that let a tenant express more than NetworkPolicies do. Felix treats kinds that are not installed as
 * empty.
 */
const KINDS: readonly CalicoKind[] = [
  {
    kind: 'ClusterInformation',
    plural: 'clusterinformations',
    spec: objectOf({
      calicoVersion: TEXT,
      clusterGUID: TEXT,
      clusterType: TEXT,
      datastoreReady: { type: 'boolean' },
      variant: TEXT,
    }),
  },
  {
    kind: 'FelixConfiguration',
    plural: 'felixconfigurations',
    // Some two hundred settings, which differ between versions: Felix validates them itself.
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
  {
    kind: 'Tier',
    plural: 'tiers',
    spec: objectOf({ order: { type: 'number' }, defaultAction: { type: 'string', enum: ['Pass', 'Deny'] } }),
  },
  { kind: 'GlobalNetworkPolicy', plural: 'globalnetworkpolicies', spec: GLOBAL_POLICY },
  { kind: 'NetworkPolicy', plural: 'networkpolicies', isNamespaced: true, spec: POLICY },
  { kind: 'GlobalNetworkSet', plural: 'globalnetworksets', spec: objectOf({ nets: listOf(TEXT) }) },
  { kind: 'NetworkSet', plural: 'networksets', isNamespaced: true, spec: objectOf({ nets: listOf(TEXT) }) },
  {
    kind: 'HostEndpoint',
    plural: 'hostendpoints',
    spec: objectOf({
      node: TEXT,
      interfaceName: TEXT,
      expectedIPs: listOf(TEXT),
      profiles: listOf(TEXT),
      ports: listOf(HOST_PORT),
    }),
  },
];

/** The kinds of Felix's settings and policies. */
export const CALICO_DEFINITIONS: readonly AddonObject[] = KINDS.map(({ kind, plural, isNamespaced = false, spec }) => {
  const name = `${plural}.${CALICO_GROUP}`;
  const object: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: CustomResourceDefinitions.kind,
    metadata: { name },
    spec: {
      group: CALICO_GROUP,
      scope: isNamespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: objectOf({ apiVersion: TEXT, kind: TEXT, metadata: { type: 'object' }, spec }) },
        },
      ],
    },
  };
  return { type: CustomResourceDefinitions, name, object };
});
