import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { Cluster } from '../kinds/cluster.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

/** Refuses an allow-list that this Fairway would not enforce. A stored one is not rejected again; its condition reports it. */
export function accessErrors({ cluster, old, allowedCIDRsProblem }: ClusterAdmission): FieldError[] {
  const { allowedCIDRs = [] } = cluster.spec.apiServer;
  if (allowedCIDRsProblem === undefined || allowedCIDRs.length === 0) return [];
  if (isDeepStrictEqual(allowedCIDRs, old?.spec.apiServer.allowedCIDRs)) return [];
  return [{ type: 'FieldValueForbidden', field: 'spec.apiServer.allowedCIDRs', detail: allowedCIDRsProblem }];
}

/** Where Fairway doesn't know the router, nor does it know the address that nodes are seen with. */
export function accessWarnings({ spec }: Cluster): string[] {
  const { mode } = spec.network.gateway;
  if ((spec.apiServer.allowedCIDRs ?? []).length === 0 || mode === 'Router') return [];
  return [
    `spec.apiServer.allowedCIDRs: with spec.network.gateway.mode ${mode} Fairway does not know with which address the nodes leave their network; if it is translated on the way, it must be in the list, or the nodes lose their API server`,
  ];
}
