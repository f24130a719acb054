import type { FieldError } from '@fairway/kube/object/field-error';
import { isReplayed } from '../domain/request.ts';
import { classifyReset, isResettable, requestedReset } from '../domain/reset.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

/** Whether the change requests a reset of a cluster that has something to reset. */
export function requestsReset({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): boolean {
  if (old === undefined || !isResettable(old)) return false;
  const { requestedAt } = requestedReset({ spec: cluster.spec, status: old.status }) ?? {};
  return requestedAt !== undefined && requestedAt !== old.spec.reset?.requestedAt;
}

/** Why a requested reset can't begin; checked before the request is stored. */
export function resetErrors({ cluster, old, releases, nowMs }: ClusterAdmission): FieldError[] {
  const { reset } = cluster.spec;
  if (old === undefined || reset === undefined || !requestsReset({ cluster, old })) return [];
  const classification = classifyReset({ ...cluster, status: old.status } as Cluster, reset, releases, nowMs);
  if (!('problem' in classification)) return [];
  const { field, problem: detail } = classification;
  if (field === 'spec.etcd.restore') return [{ type: 'FieldValueForbidden', field, detail }];
  const value = field === 'spec.version' ? cluster.spec.version : reset.confirm;
  return [{ type: 'FieldValueInvalid', field, value, detail }];
}

/** Warns about what a requested reset will delete. */
export function resetWarnings(admission: Pick<ClusterAdmission, 'cluster' | 'old'>): string[] {
  if (!requestsReset(admission)) return outdatedWarnings(admission);
  return [
    'spec.reset: everything in the cluster is deleted, its credentials are revoked, and a reset cannot be cancelled; snapshots of its database are kept',
  ];
}

function outdatedWarnings({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): string[] {
  const { reset } = cluster.spec;
  const last = old?.status?.reset;
  if (reset === undefined || last === undefined) return [];
  if (!isReplayed(reset.requestedAt, { before: old?.spec.reset?.requestedAt, followed: last.requestedAt })) return [];
  return [
    `spec.reset.requestedAt (${reset.requestedAt}): is not later than the last reset, ${last.requestedAt}: nothing is reset`,
  ];
}
