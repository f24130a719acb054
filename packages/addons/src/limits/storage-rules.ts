import { FAIRWAY_USER } from '@fairway/api/domain/fairway-user';
import { accessModeAlternatives, type StorageLimits, storageClassAlternatives } from '@fairway/api/domain/plan-storage';
import { CINDER_DRIVER, IN_TREE_CINDER } from '@fairway/kube/kinds/csi-source';
import { celList, celString, type LimitRule, newlyBeyond, OBJECT, type RuleTarget } from './limit-rule.ts';

const ACCESS_MODES = ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteMany'];

const CLAIMS: RuleTarget = { group: '', version: 'v1', plural: 'persistentvolumeclaims', operations: ['CREATE'] };
/** Unlike those of claims, the access modes of volumes can be changed. */
const VOLUMES: RuleTarget = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  operations: ['CREATE', 'UPDATE'],
};
const CLASSES: RuleTarget = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  operations: ['CREATE'],
};

/** The plan's limits of volumes. */
export function storageRules(limits: StorageLimits): readonly LimitRule[] {
  return [...modeRules(limits), ...classRules(limits)];
}

function modeRules(limits: StorageLimits): LimitRule[] {
  const { accessModes, classes } = limits;
  if (accessModes === undefined) return [];
  const names = celList(classes.map(({ name }) => name));
  const isOfPlan = `has(${OBJECT}.spec.storageClassName) && ${OBJECT}.spec.storageClassName in ${names}`;
  const isOfDriver = `(has(${OBJECT}.spec.cinder) || has(${OBJECT}.spec.csi) && ${OBJECT}.spec.csi.driver == ${celString(CINDER_DRIVER)})`;
  const hasMode = (object: string, mode: string) =>
    `has(${object}.spec.accessModes) && ${celString(mode)} in ${object}.spec.accessModes`;
  return ACCESS_MODES.filter((mode) => !accessModes.includes(mode)).flatMap((mode) => {
    const excess = {
      limit: 'storage.accessModes',
      value: mode,
      problem: `spec.accessModes: ${mode} is not allowed for volumes of ${CINDER_DRIVER} by the cluster's plan: ${accessModeAlternatives(mode, limits)}`,
    } as const;
    return [
      { excess, target: CLAIMS, violation: `${isOfPlan} && ${hasMode(OBJECT, mode)}` },
      { excess, target: VOLUMES, violation: `${isOfDriver} && ${newlyBeyond((object) => hasMode(object, mode))}` },
    ];
  });
}

function classRules({ areTenantClassesAllowed, classes }: StorageLimits): LimitRule[] {
  if (areTenantClassesAllowed) return [];
  const conditions = [
    `${OBJECT}.provisioner in ${celList([CINDER_DRIVER, IN_TREE_CINDER])}`,
    `!(object.metadata.name in ${celList(classes.map(({ name }) => name))})`,
    // The API server may still have the previous policy when Fairway creates a class that is new in the plan.
    `request.userInfo.username != ${celString(FAIRWAY_USER)}`,
  ];
  const problem = `classes of the tenant's own with the provisioner ${CINDER_DRIVER} are not allowed by the cluster's plan: ${storageClassAlternatives(classes)}`;
  return [{ excess: { limit: 'storage.tenantClasses', problem }, target: CLASSES, violation: conditions.join(' && ') }];
}
