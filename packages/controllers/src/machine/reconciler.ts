import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { healingSettings } from '@fairway/api/domain/healing-settings';
import { FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type MachineStatus, machines } from '@fairway/api/kinds/machine';
import { lastFailure } from '@fairway/kube/controller/attempts';
import { findCondition, isConditionTrue } from '@fairway/kube/controller/conditions';
import { ensureFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Server } from '@fairway/openstack/types/server';
import { ForeignProjectError, requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import { machineTag } from '@fairway/tenancy/cloud/ownership';
import type { ServerRef } from '@fairway/tenancy/cloud/project-cloud';
import { describeLoginProblem } from '@fairway/tenancy/credentials/credential-problem';
import { addressRules } from '@fairway/tenancy/machine-addresses';
import type { Problem } from '@fairway/tenancy/problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ExpectedChange } from '../cache-expectations.ts';
import { ensurePausedCondition } from '../pause.ts';
import { warnIfSlow } from '../slow-work.ts';
import { writeStatus } from '../status-writer.ts';
import { deleteMachine } from './deletion.ts';
import type { MachineDependencies } from './dependencies.ts';
import { ensureFloatingIp, hasDesiredAddress } from './floating-ip.ts';
import { advanceInstallation } from './reinstall.ts';
import { markRootVolume } from './root-volume.ts';
import { type MachineScope, scopeOf } from './scope.ts';
import { createServer, lastFault, removeDuplicateServers, replaceFailedServer, serverWithFault } from './server.ts';
import { recordStartupEvents, startupDueMs, startupStatus } from './startup.ts';
import { type MachineFacts, machineStatus } from './status.ts';

/**
 * Creates a server for each Machine and tracks it until it is a Ready node; a deleted Machine is drained, and its
 * server is deleted with its resources. A server that fails or is deleted before it becomes a node is recreated. If it
 * is deleted later, the Machine reports that, and healing decides.
 */
export class MachineReconciler {
  readonly #dependencies: MachineDependencies;

  constructor(dependencies: MachineDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, client, clock, expectations } = this.#dependencies;
    const found = cache.machines.get(key);
    if (found === undefined) {
      expectations.settle(key);
      return {};
    }
    const cluster = cache.clusters.get(`${found.metadata.namespace}/${found.spec.clusterName}`);
    const active = await ensurePausedCondition(client.resource(machines), found, cluster, this.#dependencies);
    if (active === undefined) return {};
    const machine = await ensureFinalizer(client.resource(machines), active, FINALIZER);
    const pass = new Pass(context, clock);
    const scope = scopeOf(machine, this.#dependencies, pass.signal);
    if (context.userTriggered) scope.retryNow();
    return machine.metadata.deletionTimestamp === undefined
      ? this.#startServer(scope, pass)
      : deleteMachine(scope, pass);
  }

  /** Reports that a machine without a server yet is waiting for the cloud. */
  async #reportWaiting(scope: MachineScope): Promise<void> {
    const { machine } = scope;
    if (machine.status?.readyTime !== undefined || machine.status?.reinstall) return;
    // The last failure is already reported, and is being retried.
    if (machine.status?.lastOperation?.state === 'Error') return;
    const problem = scope.blocker() ?? { reason: 'WaitingForServer', message: 'the cloud has not responded yet' };
    const status = machineStatus(machine, { ...factsOf(scope), problem });
    await writeStatus(this.#dependencies.client.resource(machines), machine, status);
  }

  async #startServer(scope: MachineScope, pass: Pass): Promise<Result> {
    const { machine, key } = scope;
    const { client, clock, expectations } = this.#dependencies;
    const working = pass.run(() => ensureServerActive(scope));
    const { value, failure } = await warnIfSlow(clock, working, () => this.#reportWaiting(scope));
    const server = value?.server ?? scope.currentServer();
    const problem: Problem | undefined = failure
      ? describeLoginProblem(failure, scope)
      : reportedProblem(scope, value?.problem);
    const addressResult = await pass.run(() => ensureAddress(scope, value?.server));
    // The server works without it, and volumes left behind are reported.
    await pass.run(() => markRootVolume(scope, value?.server));
    const isSettled = problem === undefined && addressResult.failure === undefined;
    const expected = server && isSettled ? expectedServerChange(scope, server) : undefined;
    if (scope.cloud && expected) expectations.expect(key, scope.cloud.cache.servers, expected);
    else expectations.settle(key, isActive(server) ? 'build' : undefined);
    const installationResult = await this.#install(scope, pass, server, failure);
    const startup = await pass.run(() => startupStatus(scope, server, installationResult ?? machine.status ?? {}));
    const url = scope.cluster?.status?.url;
    const healing = scope.pool && healingSettings(scope.pool.spec, scope.plan?.spec);
    const facts = { ...factsOf(scope), installation: installationResult, startup: startup.value, url, healing };
    const isServerKnown = facts.isServerKnown && !scope.isServerUnlisted && !isOnOtherHost(failure);
    const observed = {
      ...facts,
      addressFailure: addressResult.failure,
      isServerKnown,
      isServerGone: scope.isServerMissing && !canRecreateServer(scope),
      server,
    };
    let status = machineStatus(machine, { ...observed, problem });
    const isNew = status.phase !== machine.status?.phase;
    if (isNew && status.phase === 'Ready' && machine.status?.reinstall === undefined) {
      const revoked = await pass.run(() => this.#revokeToken(scope));
      if (revoked.failure) status = machineStatus(machine, { ...observed, problem: revoked.failure });
    }
    pass.requeueAfter(value?.requeueAfterMs);
    pass.requeueAfter(installationResult?.waiting?.retryAfterMs);
    pass.requeueAfter(startupDueMs(status, startup.value, clock.now()));
    if (status.phase !== 'Ready' && failure === undefined && !observed.isServerGone)
      pass.requeueAfter(RESYNC_INTERVAL_MS);
    return pass.end(async () => {
      await writeStatus(client.resource(machines), machine, status);
      if (isNew || isServerMissing(machine.status, status)) scope.recordEvents(status);
      if (startup.value) recordStartupEvents(scope, status.startup, startup.value.timeoutMs);
    });
  }

  /** A step of the installation of a listed server. A failure leaves it unchanged. */
  async #install(
    scope: MachineScope,
    pass: Pass,
    server: Server | ServerRef | undefined,
    failure: Failure | undefined,
  ): Promise<MachineFacts['installation']> {
    const { cloud, machine } = scope;
    if (cloud === undefined || server === undefined || !('status' in server) || isOnOtherHost(failure))
      return undefined;
    const step = await pass.run(() => advanceInstallation(scope, cloud, server));
    if (step.failure === undefined) return step.value;
    const { reason, message } = step.failure;
    const progress = machine.status?.lastOperation?.progress ?? 0;
    const { installed, reinstall } = machine.status ?? {};
    return { installed, reinstall, waiting: { reason, message, progress }, hasFailed: true };
  }

  /** Revokes the machine's token: once a node has its certificate, the token is only useful to an attacker. */
  async #revokeToken({ cluster, machine }: MachineScope): Promise<void> {
    const { attempts, bootstrapper } = this.#dependencies;
    if (cluster === undefined) return;
    const step = { kind: 'revoke token', item: identityOf(machine) };
    await attempts.withBackoff(step, () => bootstrapper.revoke(cluster, machine));
  }
}

/** Until this process is connected to a working cluster, a machine keeps reporting what happened to its last server: the next one's backoff depends on it. */
function reportedProblem({ cluster, machine }: MachineScope, problem: Problem | undefined): Problem | undefined {
  const isConnecting =
    problem?.reason === 'WaitingForControlPlane' &&
    isConditionTrue(cluster?.status?.conditions, ConditionType.ControlPlaneReady);
  return isConnecting ? (lastFault(machine)?.problem ?? problem) : problem;
}

/** Whether the server was never a node, so that deleting it loses nothing. */
function isFirstInstallation({ machine: { status } }: MachineScope): boolean {
  return status?.readyTime === undefined && status?.reinstall === undefined;
}

/** Whether a deleted server was never a node and left no node behind, so that the machine can have another server. */
function canRecreateServer(scope: MachineScope): boolean {
  return isFirstInstallation(scope) && scope.isNodeKnown && scope.node === undefined;
}

/** Whether the cloud has explained why the node was lost, so that its report must be updated. */
function isServerMissing(last: MachineStatus | undefined, status: MachineStatus): boolean {
  const reasonOf = ({ conditions }: MachineStatus) => findCondition(conditions, ConditionType.Ready)?.reason;
  const reason = reasonOf(status);
  if (status.phase !== 'NotReady' || last?.phase !== 'NotReady' || reasonOf(last) === reason) return false;
  return reason === ConditionReason.ServerStopped || reason === ConditionReason.ServerFailed;
}

/** Whether the server is in a cloud other than the current one. */
function isOnOtherHost(failure: Failure | undefined): boolean {
  return lastFailure(failure?.error) instanceof ForeignProjectError;
}

function factsOf(scope: MachineScope): Omit<MachineFacts, 'problem'> {
  const { isServerKnown, isNodeKnown, node, cluster, cloud } = scope;
  return {
    isServerKnown,
    server: scope.currentServer(),
    isNodeKnown,
    node,
    addressRules: addressRules(cluster, cloud),
    nowMs: scope.now(),
  };
}

function isActive(server: Server | ServerRef | undefined): boolean {
  return server !== undefined && 'status' in server && server.status === 'ACTIVE';
}

/**
 * The change that the server list has yet to show. The end of a build is not polled for, because the node
 * registers itself, unless an address is missing until then.
 */
function expectedServerChange(scope: MachineScope, server: Server | ServerRef): ExpectedChange | undefined {
  if (!('status' in server) || server.status === 'BUILD') return scope.machine.spec.floatingIP ? 'other' : 'build';
  return server.status !== 'ACTIVE' || hasDesiredAddress(scope, server) ? undefined : 'other';
}

/** Ensures the floating IP of a running server. A node works without one: failures are reported separately. */
async function ensureAddress(scope: MachineScope, server: Server | ServerRef | undefined): Promise<void> {
  if (server !== undefined && 'status' in server && server.status === 'ACTIVE') await ensureFloatingIp(scope, server);
}

/** Resync interval, in case an event was lost. */
const RESYNC_INTERVAL_MS = 30_000;
/** A paginated list may miss a server, but the next one contains it. */
const UNLISTED_RETRY_MS = 5_000;
/** A deleted server should not come back: it is rechecked only in case the cloud was wrong. */
const SERVER_MISSING_RETRY_MS = 600_000;
/** How soon a server in ERROR is queried again for its fault. */
const FAULT_RETRY_MS = 1_000;

interface Outcome {
  readonly problem?: Problem | undefined;
  readonly requeueAfterMs?: number;
  /** The server as observed; a later list is handled by the next pass. */
  readonly server?: Server | ServerRef;
}

/** One step towards a working server. */
async function ensureServerActive(scope: MachineScope): Promise<Outcome> {
  if (scope.cloud) await requireOwnProject(scope.cloud, scope.cluster);
  const problem = scope.blocker();
  const owned = await scope.listedServers();
  if (owned === undefined) return { problem };
  if (owned.kind === 'settling') {
    return {
      problem: {
        reason: 'WaitingForServer',
        message: 'the cloud did not confirm whether it created the server; checking before a retry',
      },
      requeueAfterMs: Math.max(owned.untilMs - scope.now(), 0) + 1,
    };
  }
  await removeDuplicateServers(scope, owned.items);
  await scope.refreshFromNode();
  const server = scope.currentServer();
  if (server === undefined) {
    const { serverID } = scope.machine.status ?? {};
    if (await scope.wasServerLost(owned)) {
      if (!canRecreateServer(scope)) {
        const message = `server ${serverID} no longer exists: it was deleted in the cloud`;
        return { problem: { reason: 'ServerVanished', message }, requeueAfterMs: SERVER_MISSING_RETRY_MS };
      }
      const message = `server ${serverID} disappeared before it became a node; another one will be created`;
      scope.dependencies.events.warning(scope.machine, 'ServerVanished', message);
    } else if (scope.isServerUnlisted) {
      const message = `server ${serverID} exists but is not listed; if this persists, restore its tag ${machineTag(scope.uid)}`;
      scope.cloud?.cache.servers.invalidate();
      return {
        problem: { reason: 'ServerVanished', message },
        requeueAfterMs: UNLISTED_RETRY_MS,
      };
    }
    if (problem) return { problem };
    return { problem: await createServer(scope) };
  }
  if ('status' in server && server.status === 'ERROR' && isFirstInstallation(scope)) {
    const failed = await serverWithFault(scope, server);
    return failed ? replaceFailedServer(scope, failed) : { server, requeueAfterMs: FAULT_RETRY_MS };
  }
  if ('status' in server && server.status === 'ACTIVE') {
    scope.dependencies.builds.succeeded(scope.uid);
  }
  return { server };
}
