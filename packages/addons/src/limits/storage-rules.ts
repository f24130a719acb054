import { accessModeAlternatives, type StorageLimits, storageClassAlternatives } from '@fairway/api/domain/plan-storage';
import { CINDER_DRIVER, IN_TREE_CINDER } from '@fairway/kube/kinds/csi-source';
import { PART_OF_LABEL } from '../apply-set.ts';
import { celList, celString, type LimitRule, OBJECT, type RuleTarget } from './limit-rule.ts';

const ACCESS_MODES = ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteMany'];

const CLAIMS: RuleTarget = { group: '', version: 'v1', plural: 'persistentvolumeclaims', operations: ['CREATE'] };
const VOLUMES: RuleTarget = { group: '', version: 'v1', plural: 'persistentvolumes', operations: ['CREATE'] };
const CLASSES: RuleTarget = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  operations: ['CREATE'],
};

/** The plan's limits of volumes. Their fields cannot be changed after creation. */
export function storageRules(limits: StorageLimits): readonly LimitRule[] {
  return [...modeRules(limits), ...classRules(limits)];
}

function modeRules({ accessModes, classes }: StorageLimits): LimitRule[] {
  if (accessModes === undefined) return [];
  const names = celList(classes.map(({ name }) => name));
  const isOfPlan = `has(${OBJECT}.spec.storageClassName) && ${OBJECT}.spec.storageClassName in ${names}`;
  const isOfDriver = `(has(${OBJECT}.spec.cinder) || has(${OBJECT}.spec.csi) && ${OBJECT}.spec.csi.driver == ${celString(CINDER_DRIVER)})`;
  return ACCESS_MODES.filter((mode) => !accessModes.includes(mode)).flatMap((mode) => {
    const excess = {
      limit: 'storage.accessModes',
      value: mode,
      problem: `spec.accessModes: ${mode} is not allowed for volumes of ${CINDER_DRIVER} by the cluster's plan: ${accessModeAlternatives(mode, accessModes)}`,
    } as const;
    const hasMode = `has(${OBJECT}.spec.accessModes) && ${celString(mode)} in ${OBJECT}.spec.accessModes`;
    return [
      { excess, target: CLAIMS, violation: `${isOfPlan} && ${hasMode}` },
      { excess, target: VOLUMES, violation: `${isOfDriver} && ${hasMode}` },
    ];
  });
}

function classRules({ areTenantClassesAllowed, classes }: StorageLimits): LimitRule[] {
  if (areTenantClassesAllowed) return [];
  const conditions = [
    `${OBJECT}.provisioner in ${celList([CINDER_DRIVER, IN_TREE_CINDER])}`,
    `!(object.metadata.name in ${celList(classes.map(({ name }) => name))})`,
    // The API server may still have the previous policy when Fairway creates a class that is new in the plan.
    `!(has(object.metadata.labels) && ${celString(PART_OF_LABEL)} in object.metadata.labels)`,
  ];
  const problem = `classes of the tenant's own with the provisioner ${CINDER_DRIVER} are not allowed by the cluster's plan: ${storageClassAlternatives(classes)}`;
  return [{ excess: { limit: 'storage.tenantClasses', problem }, target: CLASSES, violation: conditions.join(' && ') }];
}
