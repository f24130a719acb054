import type { Schema } from '@fairway/apiserver/schema/schema';
import { INT_OR_STRING_SCHEMA, INTEGER_SCHEMA, listOf, objectOf, TEXT_SCHEMA } from '../schema-parts.ts';

/** The peer of a rule: https://docs.tigera.io/calico/latest/reference/resources/networkpolicy#entityrule */
const PEER_SCHEMA = objectOf({
  nets: listOf(TEXT_SCHEMA),
  notNets: listOf(TEXT_SCHEMA),
  selector: TEXT_SCHEMA,
  notSelector: TEXT_SCHEMA,
  namespaceSelector: TEXT_SCHEMA,
  ports: listOf(INT_OR_STRING_SCHEMA),
  notPorts: listOf(INT_OR_STRING_SCHEMA),
  serviceAccounts: objectOf({ names: listOf(TEXT_SCHEMA), selector: TEXT_SCHEMA }),
  services: objectOf({ name: TEXT_SCHEMA, namespace: TEXT_SCHEMA }),
});

const ICMP_SCHEMA = objectOf({ type: INTEGER_SCHEMA, code: INTEGER_SCHEMA });

const RULE_SCHEMA = objectOf(
  {
    action: TEXT_SCHEMA,
    ipVersion: INTEGER_SCHEMA,
    protocol: INT_OR_STRING_SCHEMA,
    notProtocol: INT_OR_STRING_SCHEMA,
    icmp: ICMP_SCHEMA,
    notICMP: ICMP_SCHEMA,
    source: PEER_SCHEMA,
    destination: PEER_SCHEMA,
    http: objectOf({
      methods: listOf(TEXT_SCHEMA),
      paths: listOf(objectOf({ exact: TEXT_SCHEMA, prefix: TEXT_SCHEMA })),
    }),
    metadata: objectOf({ annotations: { type: 'object', additionalProperties: TEXT_SCHEMA } }),
  },
  ['action'],
);

const COMMON_FIELDS = {
  tier: TEXT_SCHEMA,
  order: { type: 'number' },
  selector: TEXT_SCHEMA,
  serviceAccountSelector: TEXT_SCHEMA,
  types: listOf(TEXT_SCHEMA),
  ingress: listOf(RULE_SCHEMA),
  egress: listOf(RULE_SCHEMA),
  performanceHints: listOf(TEXT_SCHEMA),
} satisfies Readonly<Record<string, Schema>>;

/** `spec` of Calico's NetworkPolicy. */
export const POLICY_SCHEMA = objectOf(COMMON_FIELDS);

/** `spec` of a GlobalNetworkPolicy. */
export const GLOBAL_POLICY_SCHEMA = objectOf({
  ...COMMON_FIELDS,
  namespaceSelector: TEXT_SCHEMA,
  applyOnForward: { type: 'boolean' },
  doNotTrack: { type: 'boolean' },
  preDNAT: { type: 'boolean' },
});
