import { FINALIZER } from '@fairway/api/group';
import { machines } from '@fairway/api/kinds/machine';
import { ensureFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import type { Server } from '@fairway/openstack/types/server';
import { cloudProblemOf } from '@fairway/tenancy/cloud/cloud-problem';
import { ForeignProject, requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import { machineTag } from '@fairway/tenancy/cloud/ownership';
import type { ServerRef } from '@fairway/tenancy/cloud/project-cloud';
import { tenantProblemOf } from '@fairway/tenancy/connection/tenant-problem';
import type { Problem } from '@fairway/tenancy/problem';
import { heedPause } from '../pause.ts';
import { tellIfSlow } from '../slow-work.ts';
import { writeStatus } from '../status-writer.ts';
import { deleteMachine } from './deletion.ts';
import type { MachineDependencies } from './dependencies.ts';
import { ensureFloatingIp, showsWantedAddress } from './floating-ip.ts';
import { type MachineScope, scopeOf } from './scope.ts';
import { createServer, removeExtraServers, replaceFailedServer } from './server.ts';
import { type MachineFacts, machineStatus } from './status.ts';

/**
 * Gives each Machine a server and follows it until the server is a Ready node; a Machine that is deleted is drained, and its server
 * with all that came with it goes. A server that fails before it was ever a node is made anew; one that is deleted behind Fairway's
 * back takes its Machine along, which the pool replaces.
 */
export class MachineReconciler {
  readonly #dependencies: MachineDependencies;

  constructor(dependencies: MachineDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: string, { signal }: { readonly signal: AbortSignal }): Promise<Result> {
    const { cache, client, clock, expectations } = this.#dependencies;
    const found = cache.machines.get(key);
    if (found === undefined) {
      expectations.settle(key);
      return {};
    }
    const cluster = cache.clusters.get(`${found.metadata.namespace}/${found.spec.clusterName}`);
    const active = await heedPause(client.resource(machines), found, cluster, clock.now());
    if (active === undefined) return {};
    const machine = await ensureFinalizer(client.resource(machines), active, FINALIZER);
    const scope = scopeOf(machine, this.#dependencies, signal);
    if (machine.metadata.deletionTimestamp !== undefined) return deleteMachine(scope);
    return this.#bringUp(scope);
  }

  /** A machine that is not up yet says that it is the cloud that it waits for. */
  async #tellWaiting(scope: MachineScope): Promise<void> {
    const { machine } = scope;
    if (machine.status?.readyTime !== undefined) return;
    const problem = scope.blocker() ?? { reason: 'WaitingForServer', message: 'the cloud has not answered yet' };
    const status = machineStatus(machine, { ...factsOf(scope), problem });
    await writeStatus(this.#dependencies.client.resource(machines), machine, status);
  }

  async #bringUp(scope: MachineScope): Promise<Result> {
    const { machine, key } = scope;
    const { client, clock, expectations, bootstrapper } = this.#dependencies;
    let outcome: Outcome;
    try {
      outcome = await tellIfSlow(clock, bringServerUp(scope), () => this.#tellWaiting(scope));
    } catch (error) {
      const problem = cloudProblemOf(error, clock.now()) ?? tenantProblemOf(error);
      if (problem === undefined) throw error;
      const waitMs = problem.retryAfterMs ?? scope.backoff.failed(key, clock.now());
      outcome = { problem, requeueAfterMs: waitMs, isServerUnlisted: error instanceof ForeignProject };
    }
    if (outcome.isGone) return {};
    const server = outcome.server ?? scope.currentServer();
    if (scope.cloud) {
      const isExpecting = server !== undefined && outcome.problem === undefined && !isSettled(scope, server);
      expectations.expect(key, scope.cloud.cache.servers, isExpecting);
    }
    const facts = factsOf(scope);
    const isServerKnown = facts.isServerKnown && !outcome.isServerUnlisted;
    const status = machineStatus(machine, { ...facts, isServerKnown, server, problem: outcome.problem });
    await writeStatus(client.resource(machines), machine, status);
    if (status.phase !== machine.status?.phase) {
      scope.announce(status);
      // From here on the node has a certificate of its own, and its token is of use to thieves alone.
      if (status.phase === 'Ready' && scope.cluster) await bootstrapper.revoke(scope.cluster, machine);
    }
    if (outcome.requeueAfterMs !== undefined) return { requeueAfterMs: outcome.requeueAfterMs };
    return status.phase === 'Ready' ? {} : { requeueAfterMs: LOOK_AGAIN_MS };
  }
}

function factsOf(scope: MachineScope): Omit<MachineFacts, 'problem'> {
  const { isServerKnown, isNodeKnown, node } = scope;
  return { isServerKnown, server: scope.currentServer(), isNodeKnown, node, nowMs: scope.now() };
}

/** Whether the list shows all that Fairway asked of the server. */
function isSettled(scope: MachineScope, server: Server | ServerRef): boolean {
  if (!('status' in server) || server.status === 'BUILD') return false;
  return server.status !== 'ACTIVE' || showsWantedAddress(scope, server);
}

/** What brings a machine further announces itself; this is for what got lost on the way. */
const LOOK_AGAIN_MS = 30_000;
/** A list of several pages may miss a server; the next one has it. */
const UNLISTED_RETRY_MS = 5_000;

interface Outcome {
  readonly problem?: Problem | undefined;
  readonly requeueAfterMs?: number;
  /** The server that was looked at: what a later list shows of it has not been acted upon yet. */
  readonly server?: Server | ServerRef;
  /** The server is there, but the list does not show it. */
  readonly isServerUnlisted?: boolean;
  /** The Machine itself was given up. */
  readonly isGone?: boolean;
}

/** One step from no server to a server that works. */
async function bringServerUp(scope: MachineScope): Promise<Outcome> {
  if (scope.cloud) await requireOwnProject(scope.cloud, scope.cluster);
  const problem = scope.blocker();
  const owned = await scope.listedServers();
  if (owned === undefined) return { problem };
  if (owned.kind === 'settling') {
    return {
      problem: {
        reason: 'WaitingForServer',
        message: 'the cloud did not answer whether it made the server; looking again before trying again',
      },
      requeueAfterMs: Math.max(owned.untilMs - scope.now(), 0) + 1,
    };
  }
  await removeExtraServers(scope, owned.items);
  await scope.catchUpWithNode();
  const server = scope.currentServer();
  if (server === undefined) {
    if (await scope.hasLostServer(owned)) {
      await scope.giveUp();
      return { isGone: true };
    }
    if (scope.machine.status?.serverID !== undefined && owned.deleting.length === 0) {
      const message = `server ${scope.machine.status.serverID} is there but not listed; if it stays so, give it the tag ${machineTag(scope.uid)} back`;
      scope.cloud?.cache.servers.invalidate();
      return {
        problem: { reason: 'ServerVanished', message },
        requeueAfterMs: UNLISTED_RETRY_MS,
        isServerUnlisted: true,
      };
    }
    if (problem) return { problem };
    const waitMs = scope.backoff.waitMs(scope.key, scope.now());
    if (waitMs > 0) return { problem: scope.lastProblem(), requeueAfterMs: waitMs };
    return { problem: await createServer(scope) };
  }
  if ('status' in server && server.status === 'ERROR' && scope.machine.status?.readyTime === undefined) {
    return replaceFailedServer(scope, server);
  }
  if ('status' in server && server.status === 'ACTIVE') {
    scope.backoff.succeeded(scope.key);
    await ensureFloatingIp(scope, server);
  }
  return { server };
}
