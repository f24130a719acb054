import { formatTime } from '@fairway/base/clock';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { CrdCondition } from '../crd/types.ts';

export const CRD_BUCKET = 'customresourcedefinitions.apiextensions.k8s.io';
/** Keeps a definition until all objects of its kind are deleted. */
export const CRD_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The condition of a definition that is being deleted. */
export function markTerminating(object: KubeObject, nowMs: number): void {
  const crd = object as KubeObject & { status?: { conditions?: CrdCondition[] } };
  const condition: CrdCondition = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    lastTransitionTime: formatTime(nowMs),
  };
  const others = crd.status?.conditions?.filter(({ type }) => type !== condition.type) ?? [];
  crd.status = { ...crd.status, conditions: [...others, condition] };
}
