import type { Node, NodeSystemInfo, Taint } from '@fairway/kube/kinds/generated/types';
import { Nodes } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { labelValueErrors, qualifiedNameErrors } from '@fairway/kube/object/names';
import { defineKind } from '../define-kind.ts';
import { duplicate, forbidden, invalidName, required } from '../field-errors.ts';
import { AGE, text, wide } from '../printing/column.ts';
import { canonicalizeQuantities } from '../quantities.ts';
import { quantityErrors, taintEffectErrors } from '../validation-common.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const OLD_ROLE_LABEL = 'kubernetes.io/role';

/** Upstream returns these even for a node that has reported nothing. */
const UNKNOWN_NODE_INFO: NodeSystemInfo = {
  architecture: '',
  bootID: '',
  containerRuntimeVersion: '',
  kernelVersion: '',
  kubeProxyVersion: '',
  kubeletVersion: '',
  machineID: '',
  operatingSystem: '',
  osImage: '',
  systemUUID: '',
};

function readiness({ spec, status }: Node): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  const words = [condition === undefined ? 'Unknown' : condition.status === 'True' ? 'Ready' : 'NotReady'];
  if (spec.unschedulable) words.push('SchedulingDisabled');
  return words.join(',');
}

function roles({ metadata }: Node): string {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) found.add(key.slice(ROLE_PREFIX.length));
    else if (key === OLD_ROLE_LABEL && value !== '') found.add(value);
  }
  return found.size === 0 ? '<none>' : [...found].sort().join(',');
}

function address({ status }: Node, type: string): string {
  return status?.addresses?.find((candidate) => candidate.type === type)?.address ?? '<none>';
}

function taintsErrors(taints: readonly Taint[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { key, value = '', effect }] of taints.entries()) {
    const path = `metadata.taints[${index}]`;
    if (key) errors.push(...invalidName(`${path}.key`, key, qualifiedNameErrors(key)));
    else errors.push(required(`${path}.key`));
    errors.push(...invalidName(`${path}.value`, value, labelValueErrors(value)));
    errors.push(...taintEffectErrors(`${path}.effect`, effect, false));
    const pair = `${key}:${effect}`;
    if (seen.has(pair)) {
      errors.push({
        ...duplicate(path, { key, value, effect }),
        detail: 'taints must be unique by key and effect pair',
      });
    }
    seen.add(pair);
  }
  return errors;
}

/** podCIDRs and providerID are immutable once set. */
function specUpdateErrors({ spec }: Node, { spec: old }: Node): FieldError[] {
  const errors: FieldError[] = [];
  const cidrs = old.podCIDRs ?? (old.podCIDR ? [old.podCIDR] : []);
  if (cidrs.length > 0 && !jsonEqual(spec.podCIDRs ?? [spec.podCIDR], cidrs)) {
    errors.push(forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if (old.providerID && spec.providerID !== old.providerID) {
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  return errors;
}

function statusErrors({ status }: Node): FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(status?.[list] ?? {}).flatMap(([name, value]) => quantityErrors(`status.${list}.${name}`, value)),
  );
}

export const NodeKind = defineKind(Nodes, {
  definition: 'io.k8s.api.core.v1.Node',
  shortNames: ['no'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    default(node) {
      const { spec, status } = node;
      // `podCIDR` is the first entry of `podCIDRs`, and takes precedence if they differ.
      if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
      if (!spec.podCIDR && spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
      if (!status) return;
      canonicalizeQuantities(status.capacity);
      canonicalizeQuantities(status.allocatable);
      if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
    },
    prepareForCreate(node) {
      node.status = { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: { ...UNKNOWN_NODE_INFO } };
    },
    validate: (node, old) => [
      ...taintsErrors(node.spec.taints ?? []),
      ...(old === undefined ? [] : specUpdateErrors(node, old)),
    ],
    validateStatus: (node) => statusErrors(node),
  },
  selectableFields: { 'spec.unschedulable': '.spec.unschedulable' },
  unsetFields: { 'spec.unschedulable': 'false' },
  columns: [
    text('Status', readiness),
    text('Roles', roles),
    AGE,
    text('Version', '.status.nodeInfo.kubeletVersion'),
    wide(text('Internal-IP', (node) => address(node, 'InternalIP'))),
    wide(text('External-IP', (node) => address(node, 'ExternalIP'))),
    wide(text('OS-Image', ({ status }) => status?.nodeInfo?.osImage || '<unknown>')),
    wide(text('Kernel-Version', ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>')),
    wide(text('Container-Runtime', ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>')),
  ],
});
