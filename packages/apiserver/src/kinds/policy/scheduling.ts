import { Leases, PriorityClasses, RuntimeClasses } from '@fairway/kube/kinds/resources';
import { dns1123LabelErrors } from '@fairway/kube/object/names';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, invalidName, invalidValue, nonNegative, oneOf, positive, required } from '../field-errors.ts';
import { AGE, count, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

const MAX_USER_PRIORITY = 1_000_000_000;
/** Upstream's own classes; only these may exceed the maximum user priority. */
const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

export const PriorityClassKind = defineKind(PriorityClasses, {
  definition: 'io.k8s.api.scheduling.v1.PriorityClass',
  shortNames: ['pc'],
  strategy: {
    default(priority) {
      setDefaults(priority, { preemptionPolicy: 'PreemptLowerPriority' });
    },
    validate(priority, old) {
      const { metadata, value = 0, preemptionPolicy } = priority;
      const errors = oneOf('preemptionPolicy', preemptionPolicy, ['Never', 'PreemptLowerPriority']);
      if (old !== undefined) {
        if (value !== (old.value ?? 0)) errors.push(forbidden('value', 'may not be changed in an update.'));
        return [...errors, ...immutable('preemptionPolicy', preemptionPolicy, old.preemptionPolicy)];
      }
      const name = metadata.name ?? '';
      if (name.startsWith('system-')) {
        if (SYSTEM_CLASSES[name] !== value) {
          const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
          errors.push(forbidden('metadata.name', detail));
        }
      } else if (value > MAX_USER_PRIORITY) {
        const detail = `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`;
        errors.push(forbidden('value', detail));
      }
      return errors;
    },
  },
  columns: [
    count('Value', ({ value }) => value ?? 0),
    { name: 'Global-Default', type: 'boolean', value: ({ globalDefault }) => globalDefault ?? false },
    AGE,
    text('PreemptionPolicy', '.preemptionPolicy'),
  ],
});

export const RuntimeClassKind = defineKind(RuntimeClasses, {
  definition: 'io.k8s.api.node.v1.RuntimeClass',
  hasGeneration: false,
  strategy: {
    validate: ({ handler }, old) => [
      ...(handler ? invalidName('handler', handler, dns1123LabelErrors(handler)) : [required('handler')]),
      ...(old === undefined ? [] : immutable('handler', handler, old.handler)),
    ],
  },
  columns: [text('Handler', '.handler'), AGE],
});

export const LeaseKind = defineKind(Leases, {
  definition: 'io.k8s.api.coordination.v1.Lease',
  hasGeneration: false,
  strategy: {
    validate: ({ spec }) => [
      ...positive('spec.leaseDurationSeconds', spec.leaseDurationSeconds),
      ...nonNegative('spec.leaseTransitions', spec.leaseTransitions),
      ...(spec.holderIdentity === '' ? [invalidValue('spec.holderIdentity', '', 'must not be empty')] : []),
    ],
  },
  columns: [text('Holder', '.spec.holderIdentity'), AGE],
});
