import { ConditionReason } from '@fairway/api/conditions';
import { sumOfReplicas } from '@fairway/api/domain/plan-limits';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import { keyOf } from '@fairway/kube/client/object-key';
import { TransportError } from '@fairway/kube/client/transport';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { wrapRuntimeError } from '@fairway/tenancy/reconcile/runtime-problem';
import { advanceCaRotation, ensureClusterCa, renewedMachines } from './cluster-ca.ts';
import { caFactsOf } from './credentials-status.ts';
import { credentialRequests } from './credentials-step.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { controlPlaneSpec } from './desired-state.ts';
import { hibernateControlPlane } from './hibernation.ts';
import { type ClusterKeystone, ensureKeystoneBindings, keystoneFor, withKeystoneProblem } from './keystone-users.ts';
import { limitPoliciesStatus, policiesInFile } from './limit-policies.ts';
import type { ClusterFacts } from './status.ts';
import { setUpTenant } from './tenant-setup.ts';

/** How long a pass waits for a tenant's API server to list its nodes. */
const CONNECT_TIMEOUT_MS = 15_000;
/** Poll interval for a starting control plane whose runtime has no events. */
const CONTROL_PLANE_RETRY_MS = 5_000;

/** What a pass observes of a control plane. */
export type ControlPlaneFacts = Pick<
  ClusterFacts,
  'controlPlane' | 'controlPlaneProblem' | 'caCertificate' | 'caFacts' | 'etcdQuotaBytes' | 'isConnected'
> &
  Partial<Pick<ClusterFacts, 'isHibernated' | 'resetting' | 'choice' | 'keystone' | 'limitPolicies'>>;

const NO_NODES = { total: 0, renewed: 0 };

/** The observation to use while the control plane's state is unknown. */
export const NO_CONTROL_PLANE = {
  controlPlane: undefined,
  controlPlaneProblem: undefined,
  caCertificate: undefined,
  caFacts: undefined,
  etcdQuotaBytes: undefined,
  isConnected: false,
};

const DATA_ON_OTHER_HOST: Problem = {
  reason: ConditionReason.ControlPlaneFailed,
  message:
    'the cluster was restored, but its control-plane database is missing; start Fairway with the original --home, or copy that folder (docs/operators/backup.md)',
};
const DATA_ON_OTHER_HOST_RETRY_MS = 30_000;

/**
 * Whether a restored cluster's control plane is unknown to this runtime: a new control plane would be empty, and the
 * nodes would delete their pods.
 */
async function isDataOnOtherHost(cluster: Cluster, runtime: ControlPlaneRuntime): Promise<boolean> {
  const { originUID, endpoint } = cluster.status ?? {};
  if (originUID === undefined || endpoint === undefined || cluster.status?.reset?.phase === 'Starting') return false;
  return !(await wrapRuntimeError(runtime.list())).includes(identityOf(cluster));
}

/** Hibernates a control plane. Requested changes to its credentials are applied at the same time. */
export async function hibernatedControlPlane(
  cluster: Cluster,
  dependencies: ClusterDependencies,
  pass: Pass,
): Promise<ControlPlaneFacts> {
  const rest = await hibernateControlPlane(cluster, dependencies, pass);
  const { revocation, rotation } = credentialRequests(cluster);
  const { credentials } = cluster.status ?? {};
  const isRevocation = revocation !== undefined && revocation !== credentials?.revocation?.requested;
  const isRotation = rotation !== undefined && rotation !== credentials?.rotation;
  if (!isRevocation && !isRotation) return { ...NO_CONTROL_PLANE, ...rest };
  const { value: pki, failure } = await pass.run(() =>
    dependencies.attempts.withBackoff({ kind: 'control plane', item: identityOf(cluster) }, () =>
      ensureClusterCa(cluster, dependencies),
    ),
  );
  if (failure) return { ...NO_CONTROL_PLANE, ...rest, controlPlaneProblem: failure };
  return {
    ...NO_CONTROL_PLANE,
    ...rest,
    caFacts: caFactsOf(pki, { isCaInEffect: rest.isHibernated === true, nodes: NO_NODES }),
  };
}

/** Starts a cluster's control plane, or changes it to the desired state, and connects to its API server. */
export async function ensureControlPlane(
  cluster: Cluster,
  plan: Plan,
  { pools, version }: { readonly pools: readonly NodePool[]; readonly version: string },
  dependencies: ClusterDependencies,
  pass: Pass,
): Promise<ControlPlaneFacts> {
  const { attempts, cache, runtime } = dependencies;
  const item = identityOf(cluster);
  const keystone = keystoneFor(cluster, dependencies.keystoneUsers);
  const result = await pass.run(() =>
    attempts.withBackoff({ kind: 'control plane', item }, async () => {
      if (await isDataOnOtherHost(cluster, runtime)) return undefined;
      const pki = await ensureClusterCa(cluster, dependencies);
      const desiredNodes = sumOfReplicas(pools);
      const machines = cache.machines.find(machinesByCluster, keyOf(cluster));
      const limitPolicies = await policiesInFile(cluster, plan.spec, dependencies, pass);
      const spec = controlPlaneSpec(cluster, plan.spec, {
        version,
        pki,
        desiredNodes,
        machines,
        reviewToken: keystone.reviewToken,
        reviewAccess: keystone.reviewAccess,
        limitPolicies,
      });
      const controlPlane = withKeystoneProblem(await wrapRuntimeError(runtime.ensure(spec)), keystone);
      const isControlPlaneRunning = controlPlane.phase === 'Running';
      const nodes = renewedMachines(machines, pki);
      // The control plane's serving certificate may be signed by the old authority until the control plane has
      // restarted.
      const isKnown = isControlPlaneRunning || cluster.status?.caCertificate === undefined;
      const caCertificate = isKnown ? trustBundle(pki.cluster) : cluster.status?.caCertificate;
      const caFacts = caFactsOf(pki, { isCaInEffect: isControlPlaneRunning, nodes });
      return {
        pki,
        facts: {
          controlPlane,
          caFacts,
          caCertificate,
          etcdQuotaBytes: spec.etcdQuotaBytes,
          limitPolicies: limitPoliciesStatus(limitPolicies, controlPlane),
        },
      };
    }),
  );
  if (result.failure) return { ...NO_CONTROL_PLANE, controlPlaneProblem: result.failure };
  if (result.value === undefined) {
    pass.requeueAfter(DATA_ON_OTHER_HOST_RETRY_MS);
    return { ...NO_CONTROL_PLANE, controlPlaneProblem: DATA_ON_OTHER_HOST };
  }
  const { pki, facts } = result.value;
  const known = { ...facts, controlPlaneProblem: undefined, isConnected: false, isHibernated: false };
  const { controlPlane, caCertificate, caFacts } = known;
  const { endpoint } = controlPlane;
  if (!controlPlane.ready || !endpoint) {
    pass.requeueAfter(CONTROL_PLANE_RETRY_MS);
    return known;
  }
  const reachable = { ...cluster, status: { ...cluster.status, endpoint, caCertificate } };
  const { value, failure } = await pass.run(() =>
    attempts.withBackoff({ kind: 'connection', item }, () => connect(reachable, keystone, dependencies, pass.signal)),
  );
  if (failure) return { ...known, controlPlaneProblem: failure };
  const connected = { ...known, keystone: value, isConnected: true };
  if (!caFacts.isCaInEffect) return connected;
  const areNodesRenewed = caFacts.nodes.renewed === caFacts.nodes.total;
  const advanced = await pass.run(() =>
    attempts.withBackoff({ kind: 'control plane', item }, () =>
      advanceCaRotation(cluster, pki, { isRunning: true, areNodesRenewed }, dependencies),
    ),
  );
  if (advanced.failure) return { ...connected, isConnected: false, controlPlaneProblem: advanced.failure };
  if (advanced.value !== pki) pass.requeueAfter(1);
  return connected;
}

/** Connects to the tenant's API server, and creates the RBAC objects that nodes and users need. */
async function connect(
  cluster: Cluster,
  keystone: ClusterKeystone,
  dependencies: ClusterDependencies,
  signal: AbortSignal,
): Promise<ClusterFacts['keystone']> {
  const { clock, tenants } = dependencies;
  const deadline = new AbortController();
  const timer = clock.after(CONNECT_TIMEOUT_MS, () => deadline.abort(new TransportError('timed out')));
  const anySignal = AbortSignal.any([signal, deadline.signal]);
  try {
    await wrapTenantError(tenants.ensure(cluster, anySignal));
    const tenant = tenants.get(identityOf(cluster));
    if (tenant === undefined) return undefined;
    await wrapTenantError(setUpTenant(tenant, anySignal));
    return await wrapTenantError(ensureKeystoneBindings(tenant, cluster, keystone, anySignal));
  } finally {
    timer.cancel();
  }
}
