import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { Cluster } from '../kinds/cluster.ts';

/** Control plane features that not every kind of control plane supports, keyed by their Cluster field. */
const REQUESTED_FEATURES = {
  'spec.apiServer.allowedCIDRs': ({ apiServer }: Cluster['spec']) =>
    (apiServer.allowedCIDRs ?? []).length > 0 ? apiServer.allowedCIDRs : undefined,
  'spec.apiServer.oidc': ({ apiServer }: Cluster['spec']) => apiServer.oidc,
  'spec.etcd.snapshotRequestedAt': ({ etcd }: Cluster['spec']) => etcd?.snapshotRequestedAt,
  'spec.etcd.restore': ({ etcd }: Cluster['spec']) => etcd?.restore,
};

/** Fields that a kind of control plane does not honour, each with the reason and a remedy. */
export type UnenforcedFields = Readonly<Partial<Record<keyof typeof REQUESTED_FEATURES, string>>>;

/** Rejects fields that this installation's control planes would not honour. A stored value is not rejected again; a condition reports it. */
export function unenforcedErrors({
  cluster,
  old,
  unenforcedFields = {},
}: {
  readonly cluster: Cluster;
  readonly old: Cluster | undefined;
  readonly unenforcedFields?: UnenforcedFields | undefined;
}): FieldError[] {
  return Object.entries(REQUESTED_FEATURES).flatMap(([field, valueIn]): FieldError[] => {
    const detail = unenforcedFields[field as keyof typeof REQUESTED_FEATURES];
    const value = valueIn(cluster.spec);
    if (detail === undefined || value === undefined) return [];
    if (old !== undefined && isDeepStrictEqual(value, valueIn(old.spec))) return [];
    return [{ type: 'FieldValueForbidden', field, detail }];
  });
}
