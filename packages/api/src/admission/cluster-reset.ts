import type { FieldError } from '@fairway/kube/object/field-error';
import { isReplayed } from '../domain/request.ts';
import { askedReset, isResettable, judgeReset } from '../domain/reset.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

/** Whether the change asks for a reset of a cluster in which there is something. */
export function asksForReset({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): boolean {
  if (old === undefined || !isResettable(old)) return false;
  const { requestedAt } = askedReset({ spec: cluster.spec, status: old.status }) ?? {};
  return requestedAt !== undefined && requestedAt !== old.spec.reset?.requestedAt;
}

/** Why a reset that is asked for can't begin, before it is stored. */
export function resetErrors({ cluster, old, releases, nowMs }: ClusterAdmission): FieldError[] {
  const { reset } = cluster.spec;
  if (old === undefined || reset === undefined || !asksForReset({ cluster, old })) return [];
  const judged = judgeReset({ ...cluster, status: old.status } as Cluster, reset, releases, nowMs);
  if (!('problem' in judged)) return [];
  const { field, problem: detail } = judged;
  if (field === 'spec.etcd.restore') return [{ type: 'FieldValueForbidden', field, detail }];
  const value = field === 'spec.version' ? cluster.spec.version : reset.confirm;
  return [{ type: 'FieldValueInvalid', field, value, detail }];
}

/** Says once more what goes, to whoever asks for it. */
export function resetWarnings(admission: Pick<ClusterAdmission, 'cluster' | 'old'>): string[] {
  if (!asksForReset(admission)) return outdatedWarnings(admission);
  return [
    'spec.reset: everything in the cluster is deleted, its credentials end, and what began can not be stopped; snapshots of its database are kept',
  ];
}

function outdatedWarnings({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): string[] {
  const { reset } = cluster.spec;
  const last = old?.status?.reset;
  if (reset === undefined || last === undefined) return [];
  if (!isReplayed(reset.requestedAt, { before: old?.spec.reset?.requestedAt, followed: last.requestedAt })) return [];
  return [
    `spec.reset.requestedAt (${reset.requestedAt}): is not later than that of the last reset, ${last.requestedAt}: nothing is reset`,
  ];
}
