import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@fairway/kube/kinds/generated/types';

const NAME = 'storage.fairway.dev';

/** A policy that refuses claims on ReadWriteMany volumes. */
export function aPolicy(spec: Partial<ValidatingAdmissionPolicy['spec']> = {}): ValidatingAdmissionPolicy {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: NAME },
    spec: {
      failurePolicy: 'Ignore',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['persistentvolumeclaims'] },
        ],
      },
      validations: [{ expression: refuses('ReadWriteMany'), message: 'use ReadWriteOnce', reason: 'Invalid' }],
      ...spec,
    },
  };
}

/** The expression of a validation. */
export function refuses(accessMode: string): string {
  return `!('${accessMode}' in object.spec.accessModes)`;
}

export function aBinding(
  spec: Partial<ValidatingAdmissionPolicyBinding['spec']> = {},
): ValidatingAdmissionPolicyBinding {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: NAME },
    spec: { policyName: NAME, validationActions: ['Deny'], ...spec },
  };
}
