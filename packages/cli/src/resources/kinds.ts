import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import type { Kind } from '@fairway/api/kinds/kind';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import type { ReadableKindName } from './kind-names.ts';

/** The kinds by their names on the command line. */
export const KINDS_BY_NAME: Readonly<Record<ReadableKindName, Kind>> = {
  cluster: clusters,
  nodepool: nodePools,
  machine: machines,
  cloudcredential: cloudCredentials,
  plan: plans,
  kubernetesrelease: kubernetesReleases,
};

/** `cluster.fairway.dev/demo`, as printed by `kubectl -o name`. */
export function qualifiedName(kind: Pick<Kind, 'singular' | 'group'>, name: string): string {
  return `${kind.singular}.${kind.group}/${name}`;
}
