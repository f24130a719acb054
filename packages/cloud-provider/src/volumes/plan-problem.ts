import {
  accessModeAlternatives,
  classParameters,
  type StorageLimits,
  storageClassAlternatives,
} from '@fairway/api/domain/plan-storage';
import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';

/**
 * Why a cluster's plan does not allow a claim's volume; undefined if the plan allows it. Equivalent to the policy in
 * the cluster, which the cluster's owner may remove. Pure.
 */
export function problemWithPlan(
  { spec }: Pick<PersistentVolumeClaim, 'spec'>,
  { metadata, parameters }: Pick<StorageClass, 'metadata' | 'parameters'>,
  { accessModes, areTenantClassesAllowed, classes }: StorageLimits,
): string | undefined {
  const mode = accessModes && spec.accessModes?.find((each) => !accessModes.includes(each));
  if (accessModes && mode !== undefined) {
    return `accessModes contains ${mode}, which the cluster's plan does not allow for volumes: ${accessModeAlternatives(mode, accessModes)}`;
  }
  if (areTenantClassesAllowed) return undefined;
  const plannedClass = classes.find(({ name }) => name === metadata.name);
  if (plannedClass === undefined) {
    return `StorageClass ${metadata.name} is not in the cluster's plan, which allows no others: ${storageClassAlternatives(classes)}`;
  }
  const desired = classParameters(plannedClass);
  const names = new Set([...Object.keys(desired), ...Object.keys(parameters ?? {})]);
  const other = [...names].sort().find((name) => desired[name] !== parameters?.[name]);
  if (other === undefined) return undefined;
  const now = parameters?.[other] === undefined ? 'missing' : `"${parameters[other]}"`;
  const advice = desired[other] === undefined ? 'none' : `"${desired[other]}"`;
  return `StorageClass ${metadata.name}: parameter "${other}" is ${now}, but the cluster's plan has ${advice}: delete the class, and Fairway recreates it`;
}
