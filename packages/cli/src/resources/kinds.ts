import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import type { Kind } from '@fairway/api/kinds/kind';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { ShownKindName } from './kind-names.ts';

/** The kinds by the words of the command. */
export const KINDS_BY_NAME: Readonly<Record<ShownKindName, Kind>> = {
  cluster: clusters,
  nodepool: nodePools,
  machine: machines,
  cloudcredential: cloudCredentials,
};

/** `cluster.fairway.dev/demo`, as `kubectl -o name` prints it. */
export function qualifiedName(kind: Pick<Kind, 'singular' | 'group'>, name: string): string {
  return `${kind.singular}.${kind.group}/${name}`;
}
