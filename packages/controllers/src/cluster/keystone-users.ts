import { clusterRoleGroup, keystoneAccessOf } from '@fairway/api/domain/keystone-access';
import { GROUP } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import { KEYSTONE_CLUSTER_ROLES } from '@fairway/api/kinds/cluster-options';
import type { ControlPlaneState, ReviewAccess, ReviewToken } from '@fairway/control-plane/runtime';
import type { ClusterRoleBinding } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { ControllerDependencies } from '../dependencies.ts';

const RBAC = 'rbac.authorization.k8s.io';
const LABEL = `${GROUP}/keystone-users`;
const SELECTION = { labelSelector: LABEL, metadataOnly: true };

/** Users of Keystone at one cluster. */
export interface ClusterKeystone {
  /** Whom its API server is to ask; undefined: nobody is let in. */
  readonly reviewToken?: ReviewToken;
  /** Further rights of theirs; undefined: none. */
  readonly reviewAccess?: ReviewAccess;
  /** Ids. */
  readonly projects: readonly string[];
  /** What of it is not in effect, and why. */
  readonly problem?: string;
}

export function keystoneFor(cluster: Cluster, users: ControllerDependencies['keystoneUsers']): ClusterKeystone {
  const access = keystoneAccessOf(cluster.spec, cluster.status?.projectID);
  if (access === undefined) return { projects: [] };
  if ('problem' in users) return { projects: [], problem: `spec.apiServer.keystone: ${users.problem}` };
  const { policy } = cluster.spec.apiServer.keystone ?? {};
  const reviewer = { reviewToken: users.reviewerFor(identityOf(cluster), access), projects: access.projects };
  if (policy === undefined) return reviewer;
  try {
    return { ...reviewer, reviewAccess: users.authorizerFor(policy) };
  } catch (error) {
    // Whoever wrote it got past the gateway.
    const problem = `spec.apiServer.keystone.policy: ${error instanceof Error ? error.message : String(error)}`;
    return { ...reviewer, problem };
  }
}

/** Beside what the runtime does not apply itself, whose reason goes first. */
export function withKeystoneProblem(state: ControlPlaneState, { problem }: ClusterKeystone): ControlPlaneState {
  if (problem === undefined) return state;
  const { settingsProblem, settingsReason } = state;
  return {
    ...state,
    settingsProblem: settingsProblem === undefined ? problem : `${settingsProblem} ${problem}`,
    settingsReason: settingsProblem === undefined ? 'SettingsNotEnforced' : settingsReason,
  };
}

/**
 * Creates what gives users of Keystone their ClusterRoles in the cluster, or takes it away when they are let in no more, and answers what the status is to say; null:
 * nothing. The status says it first, so that whoever comes after a crash knows what to take away. As with other RBAC objects of Fairway's, the tenant
 * may change them: they are recreated when missing, never overwritten.
 */
export async function keepKeystoneBindings(
  tenant: TenantCluster,
  { status }: Cluster,
  { reviewToken, projects }: ClusterKeystone,
  signal: AbortSignal,
): Promise<ClusterStatus['keystone'] | null> {
  const isTold = status?.keystone !== undefined;
  const { client, informers } = tenant;
  const bindings = client.resource(ClusterRoleBindings);
  if (reviewToken === undefined) {
    informers.remove(ClusterRoleBindings, SELECTION);
    const given = isTold ? BINDINGS : [];
    await Promise.all(given.map(({ metadata }) => exceptFor('NotFound', bindings.delete(metadata.name, { signal }))));
    return null;
  }
  if (isTold) {
    const present = informers.informer(ClusterRoleBindings, SELECTION);
    await present.whenSynced(signal);
    const missing = BINDINGS.filter(({ metadata }) => present.get(metadata.name) === undefined);
    // The cache may be stale.
    await Promise.all(missing.map((binding) => exceptFor('AlreadyExists', bindings.create(binding, { signal }))));
  }
  return { projects: [...projects] };
}

const BINDINGS = KEYSTONE_CLUSTER_ROLES.map((name) => {
  const group = clusterRoleGroup(name);
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: group, labels: { [LABEL]: 'true' } },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  } satisfies ClusterRoleBinding;
});

async function exceptFor(reason: 'AlreadyExists' | 'NotFound', call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isApiError(error, reason)) throw error;
  });
}
