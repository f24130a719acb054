import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '@fairway/kube/kinds/generated/types';
import { NetworkPolicies } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { portNameErrors } from '@fairway/kube/object/names';
import { Address4, Address6 } from 'ip-address';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, invalidName, invalidValue, oneOf, portNumber, required, unsupported } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { formatLabelSelector } from '../printing/labels.ts';
import { labelSelectorErrors } from '../validation-common.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const POLICY_TYPES = ['Egress', 'Ingress'];

function specErrors({ spec }: NetworkPolicy): FieldError[] {
  const errors = labelSelectorErrors('spec.podSelector', spec.podSelector);
  for (const [index, rule] of (spec.ingress ?? []).entries()) {
    const path = `spec.ingress[${index}]`;
    errors.push(...portsErrors(rule.ports, `${path}.ports`), ...peersErrors(rule.from, `${path}.from`));
  }
  for (const [index, rule] of (spec.egress ?? []).entries()) {
    const path = `spec.egress[${index}]`;
    errors.push(...portsErrors(rule.ports, `${path}.ports`), ...peersErrors(rule.to, `${path}.to`));
  }
  if ((spec.policyTypes ?? []).length > 2) {
    errors.push(invalidValue('spec.policyTypes', spec.policyTypes, 'may not specify more than two policyTypes'));
  }
  for (const [index, type] of (spec.policyTypes ?? []).entries()) {
    if (!POLICY_TYPES.includes(type)) errors.push(unsupported(`spec.policyTypes[${index}]`, type, POLICY_TYPES));
  }
  return errors;
}

function portsErrors(ports: readonly NetworkPolicyPort[] | undefined, field: string): FieldError[] {
  return (ports ?? []).flatMap(({ protocol, port, endPort }, index) => {
    const path = `${field}[${index}]`;
    const errors = oneOf(`${path}.protocol`, protocol, PROTOCOLS);
    if (typeof port === 'number') errors.push(...portNumber(`${path}.port`, port));
    else if (port !== undefined) errors.push(...invalidName(`${path}.port`, port, portNameErrors(port)));
    if (endPort === undefined) return errors;
    const endField = `${path}.endPort`;
    if (port === undefined) {
      errors.push(invalidValue(endField, endPort, 'may not be specified when `port` is not specified'));
    } else if (typeof port === 'string') {
      errors.push(invalidValue(endField, endPort, 'may not be specified when `port` is non-numeric'));
    } else if (endPort < port) {
      // Upstream shows the compared port.
      errors.push(invalidValue(endField, port, 'must be greater than or equal to `port`'));
    }
    return errors;
  });
}

function peersErrors(peers: readonly NetworkPolicyPeer[] | undefined, field: string): FieldError[] {
  return (peers ?? []).flatMap((peer, index) => {
    const path = `${field}[${index}]`;
    const { podSelector, namespaceSelector, ipBlock } = peer;
    const errors = [
      ...labelSelectorErrors(`${path}.podSelector`, podSelector),
      ...labelSelectorErrors(`${path}.namespaceSelector`, namespaceSelector),
    ];
    if (ipBlock && (podSelector || namespaceSelector)) {
      errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
    } else if (ipBlock) errors.push(...ipBlockErrors(ipBlock, `${path}.ipBlock`));
    else if (!podSelector && !namespaceSelector) errors.push(required(path, 'must specify a peer'));
    return errors;
  });
}

function ipBlockErrors({ cidr, except = [] }: IPBlock, path: string): FieldError[] {
  if (!cidr) return [required(`${path}.cidr`)];
  const block = parseCidr(cidr);
  const wrong = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  if (block === undefined) return [invalidValue(`${path}.cidr`, cidr, wrong)];
  return except.flatMap((text, index) => {
    const exception = parseCidr(text);
    if (exception === undefined) return [invalidValue(`${path}.except[${index}]`, text, wrong)];
    if (
      exception instanceof Address4 === block instanceof Address4 &&
      exception.isInSubnet(block) &&
      exception.subnetMask > block.subnetMask
    ) {
      return [];
    }
    return [invalidValue(`${path}.except[${index}]`, text, 'must be a strict subset of `cidr`')];
  });
}

function parseCidr(text: string): Address4 | Address6 | undefined {
  if (!text.includes('/')) return undefined;
  if (Address4.isValid(text)) return new Address4(text);
  return Address6.isValid(text) ? new Address6(text) : undefined;
}

export const NetworkPolicyKind = defineKind(NetworkPolicies, {
  definition: 'io.k8s.api.networking.v1.NetworkPolicy',
  shortNames: ['netpol'],
  strategy: {
    default({ spec }) {
      spec.podSelector ??= {};
      for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
        for (const port of rule.ports ?? []) setDefaults(port, { protocol: 'TCP' });
      }
      if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
    },
    validate: specErrors,
  },
  columns: [text('Pod-Selector', ({ spec }) => formatLabelSelector(spec.podSelector)), AGE],
});
