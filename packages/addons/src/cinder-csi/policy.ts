import { accessModeAlternatives, type StorageLimits, storageClassAlternatives } from '@fairway/api/domain/plan-storage';
import { CINDER_DRIVER, IN_TREE_CINDER } from '@fairway/kube/kinds/csi-source';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import type { AddonObject, ObjectIdentity } from '../addon.ts';
import { PART_OF_LABEL } from '../apply-set.ts';

const NAME = 'storage.fairway.dev';
const POLICY = { type: ValidatingAdmissionPolicies, name: NAME };
const BINDING = { type: ValidatingAdmissionPolicyBindings, name: NAME };

export const POLICY_OBJECTS: readonly ObjectIdentity[] = [POLICY, BINDING];

const ACCESS_MODES = ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteMany'];

type Rule = NonNullable<NonNullable<ValidatingAdmissionPolicy['spec']['matchConstraints']>['resourceRules']>[number];
type Validation = NonNullable<ValidatingAdmissionPolicy['spec']['validations']>[number];

/**
 * Makes the cluster's API server refuse what a plan does not allow. Only creates are checked, so that existing objects
 * continue to work. The provisioner refuses anything that gets past the API server. Empty if the plan allows
 * everything.
 */
export function policyObjects(limits: StorageLimits): readonly AddonObject[] {
  const parts = [...modeRules(limits), ...classRules(limits)];
  if (parts.length === 0) return [];
  const policy: ValidatingAdmissionPolicy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: NAME },
    spec: {
      // A rule that cannot be evaluated must not block volumes: the provisioner has the same rules.
      failurePolicy: 'Ignore',
      matchConstraints: { resourceRules: parts.flatMap(({ rules }) => rules) },
      validations: parts.flatMap(({ validations }) => validations),
    },
  };
  const binding: ValidatingAdmissionPolicyBinding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: NAME },
    spec: { policyName: NAME, validationActions: ['Deny'] },
  };
  return [
    { ...POLICY, object: policy },
    { ...BINDING, object: binding },
  ];
}

interface PolicyPart {
  readonly rules: Rule[];
  readonly validations: Validation[];
}

// One policy covers several kinds: each expression applies to one kind, and a type check would report its fields as
// missing in the other kinds.
const OBJECT_EXPRESSION = 'dyn(object)';

function modeRules({ accessModes, classes }: StorageLimits): PolicyPart[] {
  if (accessModes === undefined) return [];
  const forbiddenModes = ACCESS_MODES.filter((mode) => !accessModes.includes(mode));
  if (forbiddenModes.length === 0) return [];
  const names = quotedList(classes.map(({ name }) => name));
  const isNotClaim = `request.resource.resource != 'persistentvolumeclaims' || !has(${OBJECT_EXPRESSION}.spec.storageClassName) || !(${OBJECT_EXPRESSION}.spec.storageClassName in [${names}])`;
  const isNotVolume = `request.resource.resource != 'persistentvolumes' || !(has(${OBJECT_EXPRESSION}.spec.cinder) || has(${OBJECT_EXPRESSION}.spec.csi) && ${OBJECT_EXPRESSION}.spec.csi.driver == '${CINDER_DRIVER}')`;
  return [
    {
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['persistentvolumeclaims', 'persistentvolumes'],
        },
      ],
      validations: forbiddenModes.flatMap((mode) =>
        [isNotClaim, isNotVolume].map((isNotApplicable) => ({
          expression: `${isNotApplicable} || !has(${OBJECT_EXPRESSION}.spec.accessModes) || !('${mode}' in ${OBJECT_EXPRESSION}.spec.accessModes)`,
          message: `spec.accessModes: ${mode} is not allowed for volumes of ${CINDER_DRIVER} by the cluster's plan: ${accessModeAlternatives(mode, accessModes)}`,
          reason: 'Invalid',
        })),
      ),
    },
  ];
}

function classRules({ areTenantClassesAllowed, classes }: StorageLimits): PolicyPart[] {
  if (areTenantClassesAllowed) return [];
  const names = quotedList(classes.map(({ name }) => name));
  return [
    {
      rules: [
        {
          apiGroups: ['storage.k8s.io'],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['storageclasses'],
        },
      ],
      validations: [
        {
          expression: [
            "request.resource.resource != 'storageclasses'",
            `!(${OBJECT_EXPRESSION}.provisioner in ['${CINDER_DRIVER}', '${IN_TREE_CINDER}'])`,
            `object.metadata.name in [${names}]`,
            // The API server may still have the previous policy when Fairway creates a class that is new in the plan.
            `(has(object.metadata.labels) && '${PART_OF_LABEL}' in object.metadata.labels)`,
          ].join(' || '),
          message: `classes of the tenant's own with the provisioner ${CINDER_DRIVER} are not allowed by the cluster's plan: ${storageClassAlternatives(classes)}`,
          reason: 'Invalid',
        },
      ],
    },
  ];
}

function quotedList(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
