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

/** Keystone users of one cluster. */
export interface ClusterKeystone {
  /** The webhook authenticator of its API server; undefined: no Keystone user has access. */
  readonly reviewToken?: ReviewToken;
  /** Their additional rights; undefined: none. */
  readonly reviewAccess?: ReviewAccess;
  /** User IDs. */
  readonly projects: readonly string[];
  /** The part that is not in effect, and why. */
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
    // It was written without the gateway's validation.
    const problem = `spec.apiServer.keystone.policy: ${error instanceof Error ? error.message : String(error)}`;
    return { ...reviewer, problem };
  }
}

/** Combined with what the runtime itself does not apply, whose reason comes first. */
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
 * Creates the ClusterRole bindings of Keystone users in the cluster, or deletes them when access is disabled, and returns the part of the
 * status; null: none. The status is written first, so that after a crash it is known what must be deleted. As with Fairway's other RBAC
 * objects, the tenant may change them: they are recreated when missing, never overwritten.
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
