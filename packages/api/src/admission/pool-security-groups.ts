import type { FieldError } from '@fairway/kube/object/field-error';
import { chooseSecurityGroup } from '../domain/security-groups.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';
import { notFoundError } from './references.ts';

/** Security groups that a pool specifies but can't use. A stored name is not rejected again. */
export function securityGroupErrors(
  pool: NodePool,
  old: NodePool | undefined,
  cluster: Cluster | undefined,
  { securityGroups: groups }: CloudCatalogue,
): FieldError[] {
  if (groups === undefined) return [];
  const known = old?.spec.securityGroups ?? [];
  // If the cluster doesn't exist yet, the controllers report the problem later.
  const isOwnNetwork = cluster !== undefined && cluster.spec.network.networkID === undefined;
  return (pool.spec.securityGroups ?? []).flatMap((name, index): FieldError[] => {
    if (known.includes(name)) return [];
    const chosen = chooseSecurityGroup(name, groups, { isOwnNetwork });
    const field = `spec.securityGroups[${index}]`;
    switch (chosen.why) {
      case undefined:
        return [];
      case 'missing': {
        const own = groups.filter(({ isShared, isFairways }) => !isShared && !isFairways);
        return [notFoundError(field, name, 'security group', own)];
      }
      case 'ambiguous':
        return [{ type: 'FieldValueInvalid', field, value: name, detail: chosen.message }];
      case 'reserved':
      case 'sharedInOwnNetwork':
        return [{ type: 'FieldValueForbidden', field, detail: `${name}: ${chosen.message}` }];
    }
  });
}
