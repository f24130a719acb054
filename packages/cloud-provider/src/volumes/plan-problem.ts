import {
  accessModeAlternatives,
  classParameters,
  type StorageLimits,
  storageClassAlternatives,
} from '@fairway/api/domain/plan-storage';
import type { Excess } from '@fairway/api/limits/in-cluster';
import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';

/**
 * How a claim's volume exceeds the limits of the cluster's plan. Equivalent to the policy in the cluster, which the
 * cluster's owner may remove. Pure.
 */
export function claimExcesses(claim: ClaimParts, storageClass: ClassParts, limits: StorageLimits): readonly Excess[] {
  const problem = classProblem(storageClass, limits);
  return [
    ...modeExcesses(claim, limits),
    ...(problem === undefined ? [] : [{ limit: 'storage.tenantClasses', problem } as const]),
  ];
}

type ClaimParts = Pick<PersistentVolumeClaim, 'spec'>;
type ClassParts = Pick<StorageClass, 'metadata' | 'parameters'>;

function modeExcesses({ spec }: ClaimParts, limits: StorageLimits): readonly Excess[] {
  const { accessModes } = limits;
  if (accessModes === undefined) return [];
  return (spec.accessModes ?? [])
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => ({
      limit: 'storage.accessModes',
      value: mode,
      problem: `accessModes contains ${mode}, which the cluster's plan does not allow for volumes: ${accessModeAlternatives(mode, limits)}`,
    }));
}

function classProblem(
  { metadata, parameters }: ClassParts,
  { areTenantClassesAllowed, classes }: StorageLimits,
): string | undefined {
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
