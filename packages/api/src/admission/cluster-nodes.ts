import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import { authorityProblem } from '../domain/authority-problem.ts';
import type { Plan } from '../kinds/plan.ts';
import { clusterFieldErrors } from '../limits/pool-limits.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

/** CA certificates are part of a server's user data, which Nova limits to 64 KiB in base64. */
const MAX_AUTHORITIES_BYTES = 16 * 1024;

/** Validates the system settings of a Cluster's nodes. A stored value is not rejected again. */
export function clusterNodesErrors({ cluster, old }: ClusterAdmission, plan: Plan): FieldError[] {
  return [...clusterFieldErrors(cluster.spec, old?.spec, plan), ...authorityErrors({ cluster, old })];
}

function authorityErrors({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): FieldError[] {
  const { registryMirrors = [] } = cluster.spec;
  if (isDeepStrictEqual(registryMirrors, old?.spec.registryMirrors)) return [];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [index, { mirrors }] of registryMirrors.entries()) {
    for (const [place, { certificateAuthority: pem }] of mirrors.entries()) {
      if (pem === undefined) continue;
      bytes += Buffer.byteLength(pem);
      const field = `spec.registryMirrors[${index}].mirrors[${place}].certificateAuthority`;
      const detail = authorityProblem(pem);
      if (detail) errors.push({ type: 'FieldValueInvalid', field, value: `${pem.slice(0, 40)}…`, detail });
    }
  }
  if (bytes > MAX_AUTHORITIES_BYTES) {
    const detail = `contains ${bytes} bytes of certificates: must be at most ${MAX_AUTHORITIES_BYTES} in total`;
    errors.push({ type: 'FieldValueInvalid', field: 'spec.registryMirrors', value: `${bytes} bytes`, detail });
  }
  return errors;
}
