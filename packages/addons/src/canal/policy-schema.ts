import type { Schema } from '@fairway/apiserver/schema/schema';
import { INT_OR_STRING, INTEGER, listOf, objectOf, TEXT } from '../schema-parts.ts';

/** The peer of a rule: https://docs.tigera.io/calico/latest/reference/resources/networkpolicy#entityrule */
const PEER = objectOf({
  nets: listOf(TEXT),
  notNets: listOf(TEXT),
  selector: TEXT,
  notSelector: TEXT,
  namespaceSelector: TEXT,
  ports: listOf(INT_OR_STRING),
  notPorts: listOf(INT_OR_STRING),
  serviceAccounts: objectOf({ names: listOf(TEXT), selector: TEXT }),
  services: objectOf({ name: TEXT, namespace: TEXT }),
});

const ICMP = objectOf({ type: INTEGER, code: INTEGER });

const RULE = objectOf(
  {
    action: TEXT,
    ipVersion: INTEGER,
    protocol: INT_OR_STRING,
    notProtocol: INT_OR_STRING,
    icmp: ICMP,
    notICMP: ICMP,
    source: PEER,
    destination: PEER,
    http: objectOf({ methods: listOf(TEXT), paths: listOf(objectOf({ exact: TEXT, prefix: TEXT })) }),
    metadata: objectOf({ annotations: { type: 'object', additionalProperties: TEXT } }),
  },
  ['action'],
);

const COMMON = {
  tier: TEXT,
  order: { type: 'number' },
  selector: TEXT,
  serviceAccountSelector: TEXT,
  types: listOf(TEXT),
  ingress: listOf(RULE),
  egress: listOf(RULE),
  performanceHints: listOf(TEXT),
} satisfies Readonly<Record<string, Schema>>;

/** `spec` of Calico's NetworkPolicy. */
export const POLICY = objectOf(COMMON);

/** `spec` of a GlobalNetworkPolicy. */
export const GLOBAL_POLICY = objectOf({
  ...COMMON,
  namespaceSelector: TEXT,
  applyOnForward: { type: 'boolean' },
  doNotTrack: { type: 'boolean' },
  preDNAT: { type: 'boolean' },
});
