import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Schema } from '@fairway/apiserver/schema/schema';
import type { AddonObject } from '../addon.ts';
import { INT_OR_STRING_SCHEMA, INTEGER_SCHEMA, listOf, objectOf, TEXT_SCHEMA } from '../schema-parts.ts';
import { GLOBAL_POLICY_SCHEMA, POLICY_SCHEMA } from './policy-schema.ts';

/**
 * The kinds from which Felix reads its settings and policies: https://docs.tigera.io/calico/latest/reference/resources
 */
export const CALICO_GROUP = 'crd.projectcalico.org';

interface CalicoKind {
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced?: boolean;
  readonly spec: Schema;
}

const HOST_PORT = objectOf({ name: TEXT_SCHEMA, port: INTEGER_SCHEMA, protocol: INT_OR_STRING_SCHEMA }, [
  'name',
  'port',
  'protocol',
]);

/**
 * Kinds that Felix writes, and kinds with which tenants can express more than with NetworkPolicies. Felix treats kinds
 * that are not installed as empty.
 */
const KINDS: readonly CalicoKind[] = [
  {
    kind: 'ClusterInformation',
    plural: 'clusterinformations',
    spec: objectOf({
      calicoVersion: TEXT_SCHEMA,
      clusterGUID: TEXT_SCHEMA,
      clusterType: TEXT_SCHEMA,
      datastoreReady: { type: 'boolean' },
      variant: TEXT_SCHEMA,
    }),
  },
  {
    kind: 'FelixConfiguration',
    plural: 'felixconfigurations',
    // About two hundred settings, which differ between versions: Felix validates them itself.
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
  {
    kind: 'Tier',
    plural: 'tiers',
    spec: objectOf({ order: { type: 'number' }, defaultAction: { type: 'string', enum: ['Pass', 'Deny'] } }),
  },
  { kind: 'GlobalNetworkPolicy', plural: 'globalnetworkpolicies', spec: GLOBAL_POLICY_SCHEMA },
  { kind: 'NetworkPolicy', plural: 'networkpolicies', isNamespaced: true, spec: POLICY_SCHEMA },
  { kind: 'GlobalNetworkSet', plural: 'globalnetworksets', spec: objectOf({ nets: listOf(TEXT_SCHEMA) }) },
  { kind: 'NetworkSet', plural: 'networksets', isNamespaced: true, spec: objectOf({ nets: listOf(TEXT_SCHEMA) }) },
  {
    kind: 'HostEndpoint',
    plural: 'hostendpoints',
    spec: objectOf({
      node: TEXT_SCHEMA,
      interfaceName: TEXT_SCHEMA,
      expectedIPs: listOf(TEXT_SCHEMA),
      profiles: listOf(TEXT_SCHEMA),
      ports: listOf(HOST_PORT),
    }),
  },
];

/** The kinds for Felix's settings and policies. */
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
          schema: {
            openAPIV3Schema: objectOf({
              apiVersion: TEXT_SCHEMA,
              kind: TEXT_SCHEMA,
              metadata: { type: 'object' },
              spec,
            }),
          },
        },
      ],
    },
  };
  return { type: CustomResourceDefinitions, name, object };
});
