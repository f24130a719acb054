import { ConditionReason } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import type { MachineInstallation, MachineReinstall } from '@fairway/api/kinds/machine-installation';
import { formatTime } from '@fairway/base/clock';
import { lastFailure, retryAtMs } from '@fairway/kube/controller/attempts';
import { REIMAGE_MICROVERSION } from '@fairway/openstack/compute/servers';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Server } from '@fairway/openstack/types/server';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { claimsOtherServer, isNodeReady } from '@fairway/tenancy/connection/node';
import type { Problem } from '@fairway/tenancy/problem';
import { drainNode, setCordon } from './drain.ts';
import { attachedInterfaces } from './port.ts';
import {
  authorityMetadata,
  desiredInstallation,
  hasBootedSince,
  type InstallationFacts,
  installedOn,
  nextInstallationStep,
  REINSTALL_METADATA_KEY,
  reinstallID,
  SETTINGS_METADATA_KEY,
  settingsMetadata,
  VERSION_METADATA_KEY,
} from './reinstall-plan.ts';
import type { MachineScope } from './scope.ts';

/** What an installation is waiting for. */
export interface InstallationWait extends Problem {
  /** Percent. */
  readonly progress: number;
  /** Absent if an event will trigger the next pass. */
  readonly retryAfterMs?: number | undefined;
}

/** The progress of the installation of a machine's server, for its status. */
export interface Installation {
  readonly installed: MachineInstallation | undefined;
  /** Undefined when none is in progress. */
  readonly reinstall: MachineReinstall | undefined;
  /** Undefined when the server is installed according to the spec. */
  readonly waiting?: InstallationWait | undefined;
}

/** Times in a status are whole seconds. */
const SECOND_MS = 1_000;
/** Rebuilds take a minute or more, and a joining node is noticed without a call. */
const FIRST_POLL_MS = 10_000;
/** The usual lists suffice after that. */
const LAST_POLL_MS = 60_000;
/** States in which Nova does not rebuild servers, and that end on their own. */
const BUSY_CPU: ReadonlySet<Server['status']> = new Set([
  'BUILD',
  'REBUILD',
  'REBOOT',
  'HARD_REBOOT',
  'MIGRATING',
  'PASSWORD',
  'RESIZE',
  'REVERT_RESIZE',
  'UNKNOWN',
]);
const REBUILDABLE_STATES: ReadonlySet<Server['status']> = new Set(['ACTIVE', 'SHUTOFF', 'ERROR']);

/**
 * One step towards a server that is installed according to the machine's spec: cordon and drain the node, have Nova
 * rebuild the server, wait for the node to rejoin, uncordon it.
 *
 * **Guarantees.** Each step is recorded in the status before it is taken, and the rebuild writes its ID into the
 * server's metadata in the same call. After a crash or a lost response, the server itself shows whether it was
 * accepted. Once that is in the status, the metadata, which a tenant can edit, is no longer read. The Node object is
 * retained, with users' changes to it; its boot ID identifies the new kubelet.
 */
export async function advanceInstallation(
  scope: MachineScope,
  cloud: ProjectCloud,
  found: Server,
): Promise<Installation> {
  const { machine, node } = scope;
  const { reinstall } = machine.status ?? {};
  const acceptance = await acceptRebuild(scope, cloud, found);
  const server = cloud.cache.servers.snapshot().items.get(found.id) ?? found;
  const installed = { ...installedOn(machine, server), ...(await rebuildAbility(scope, cloud)) };
  const kept: Installation = { installed, reinstall };
  const step = nextInstallationStep({
    desired: desiredInstallation(machine.spec),
    installed,
    reinstall,
    isAccepted: acceptance.is,
    server: stateOf(cloud, server, reinstall),
    wasCordoned: node?.spec?.unschedulable === true,
    nowMs: scope.now(),
  });
  const now = formatTime(scope.now());
  if (reinstall && reinstall.acceptedTime === undefined && acceptance.is === 'yes') {
    return waitForServer(scope, cloud, server, { ...kept, reinstall: { ...reinstall, acceptedTime: now } });
  }
  switch (step.kind) {
    case 'keep':
      return kept;
    case 'begin': {
      const problem = scope.blocker() ?? rebuildObstacle(installed);
      if (problem) return { ...kept, waiting: { ...problem, progress: 0 } };
      if (reinstall?.requestedTime !== undefined) await revokeToken(scope);
      const message = 'the node is being drained before its server is reinstalled';
      const waiting = { reason: ConditionReason.Draining, message, progress: 10, retryAfterMs: 0 };
      return { installed: step.installed, reinstall: step.reinstall, waiting };
    }
    case 'cancel':
      await restoreServer(scope, reinstall);
      return { ...kept, reinstall: undefined };
    case 'drain': {
      const order = { startTime: reinstall?.startTime, target: 'the server is reinstalled', holdsDrains: true };
      const drainWait = await drainNode(scope, order);
      if (drainWait) return { ...kept, waiting: { ...drainWait, progress: 20 } };
      if (reinstall === undefined) return kept;
      const message = 'the node is drained; requesting the reinstallation of its server';
      const waiting = { reason: ConditionReason.Reinstalling, message, progress: 30, retryAfterMs: 0 };
      return { ...kept, reinstall: { ...reinstall, requestedTime: now, ...bootIDOf(scope) }, waiting };
    }
    case 'settle': {
      const message = 'the cloud did not confirm whether it is reinstalling the server; checking before a retry';
      const waiting = {
        reason: ConditionReason.Reinstalling,
        message,
        progress: 40,
        retryAfterMs: acceptance.retryAfterMs,
      };
      return { ...kept, waiting };
    }
    case 'rebuild':
      return rebuild(scope, cloud, server, kept);
    case 'awaitServer':
      return waitForServer(scope, cloud, server, kept);
    case 'startServer': {
      const { signal } = scope;
      const attempt = { kind: 'start servers', item: server.id };
      await cloud.attempts.withBackoff(attempt, () => cloud.client.compute.servers.start(server.id, { signal }));
      await cloud.cache.servers.refreshAfter(scope.now());
      const message = 'the server was off after the reinstallation and is being started';
      return {
        ...kept,
        waiting: { reason: ConditionReason.Reinstalling, message, progress: 60, retryAfterMs: FIRST_POLL_MS },
      };
    }
    case 'awaitNode': {
      if (reinstall === undefined) return kept;
      const hasRejoined =
        node && isNodeReady(node) && hasBootedSince(node, reinstall) && !claimsOtherServer(node, server.id);
      if (hasRejoined) {
        await revokeToken(scope);
        await restoreServer(scope, reinstall);
        return { installed: step.installed, reinstall: undefined };
      }
      const message = 'the server is reinstalled; it is booting and rejoining the cluster';
      return {
        installed: step.installed,
        reinstall,
        waiting: { reason: ConditionReason.WaitingForNode, message, progress: 70 },
      };
    }
  }
}

/**
 * Older Nova versions do not reinstall the volume that a server boots from: in that case nothing starts, and the node
 * stays in use.
 */
async function rebuildAbility(
  { machine }: MachineScope,
  cloud: ProjectCloud,
): Promise<Pick<MachineInstallation, 'canReinstall'>> {
  if (machine.spec.rootVolume === undefined) return {};
  return (await cloud.client.compute.supports(REIMAGE_MICROVERSION)) ? {} : { canReinstall: false };
}

function rebuildObstacle({ canReinstall }: MachineInstallation): Problem | undefined {
  if (canReinstall !== false) return undefined;
  const message = `the server boots from a volume, which Nova can reinstall only since microversion ${REIMAGE_MICROVERSION} (Zed), and the cloud is older; delete the Machine to have it replaced`;
  return { reason: ConditionReason.ReinstallNotSupported, message };
}

interface Acceptance {
  readonly is: InstallationFacts['isAccepted'];
  readonly retryAfterMs?: number;
}

/**
 * Whether the cloud has accepted the current reinstallation, according to a list requested after the last call
 * that may have reached the cloud.
 */
async function acceptRebuild(scope: MachineScope, cloud: ProjectCloud, found: Server): Promise<Acceptance> {
  const { machine } = scope;
  const { reinstall } = machine.status ?? {};
  if (reinstall?.acceptedTime !== undefined) return { is: 'yes' };
  if (reinstall?.requestedTime === undefined) return { is: 'no' };
  const { servers } = cloud.cache;
  // An earlier process may have requested it.
  if (Date.parse(reinstall.requestedTime) < cloud.trustedFromMs) {
    if (scope.now() <= cloud.trustedFromMs)
      return { is: 'unknown', retryAfterMs: cloud.trustedFromMs - scope.now() + 1 };
    await servers.refreshAfter(cloud.trustedFromMs);
  }
  const id = reinstallID(machine, reinstall);
  const observe = () => {
    const { items, listedAtMs = Number.NEGATIVE_INFINITY } = servers.snapshot();
    const { metadata } = items.get(found.id) ?? found;
    return cloud.ledgers.rebuilds.observe(id, metadata[REINSTALL_METADATA_KEY] === id ? [{ id }] : [], listedAtMs);
  };
  let state = observe();
  if (state.kind === 'settling' && scope.now() > state.untilMs) {
    await servers.refreshAfter(state.untilMs);
    state = observe();
  }
  if (state.kind === 'settling') return { is: 'unknown', retryAfterMs: Math.max(state.untilMs - scope.now(), 0) + 1 };
  return { is: state.items.length > 0 ? 'yes' : 'no' };
}

function stateOf(
  cloud: ProjectCloud,
  server: Server,
  reinstall: MachineReinstall | undefined,
): InstallationFacts['server'] {
  const { listedAtMs = Number.NEGATIVE_INFINITY } = cloud.cache.servers.snapshot();
  const isOutdated = listedAtMs < Date.parse(reinstall?.acceptedTime ?? '') + SECOND_MS;
  if (isOutdated || server.status === 'REBUILD') return 'rebuilding';
  if (server['OS-EXT-STS:task_state']) return 'other';
  if (server.status === 'SHUTOFF') return 'stopped';
  return server.status === 'ACTIVE' ? 'active' : 'other';
}

async function rebuild(
  scope: MachineScope,
  cloud: ProjectCloud,
  server: Server,
  kept: Installation,
): Promise<Installation> {
  const { machine, cluster, pool, signal, dependencies } = scope;
  const { reinstall } = kept;
  const problem = scope.blocker() ?? notRebuildable(server);
  if (problem || !reinstall || !cluster || !pool) {
    const wait = problem ?? { reason: ConditionReason.WaitingForCluster, message: 'the cluster does not exist' };
    return { ...kept, waiting: { ...wait, progress: 30 } };
  }
  const { image, version } = machine.spec;
  const id = reinstallID(machine, reinstall);
  const { attempts, bootstrapper } = dependencies;
  const request = async () => {
    const interfaces = await attachedInterfaces(scope, cloud, cluster, server.id);
    const userData = await attempts.withBackoff({ kind: 'bootstrap token', item: identityOf(cluster) }, () =>
      bootstrapper.userData(cluster, pool, machine, sizeOf(server), interfaces),
    );
    const { [SETTINGS_METADATA_KEY]: _, ...kept } = server.metadata;
    const metadata = {
      ...kept,
      [VERSION_METADATA_KEY]: version,
      ...authorityMetadata(machine.spec),
      ...settingsMetadata(machine.spec),
      [REINSTALL_METADATA_KEY]: id,
    };
    const isVolumeBacked = machine.spec.rootVolume !== undefined;
    const body = { imageRef: image, user_data: userData, metadata };
    await cloud.client.compute.servers.rebuild(server.id, body, { signal, isVolumeBacked });
    return { id };
  };
  const before = bootIDOf(scope);
  try {
    await cloud.make(cloud.ledgers.rebuilds, id, request);
  } catch (error) {
    const refusal = lastFailure(error);
    if (!isOpenStackError(refusal, 'conflict')) throw error;
    const untilMs = retryAtMs(error) ?? scope.now();
    return {
      ...kept,
      waiting: { ...busy(server, refusal.detail), progress: 30, retryAfterMs: Math.max(untilMs - scope.now(), 0) + 1 },
    };
  }
  const accepted = { ...reinstall, acceptedTime: formatTime(scope.now()), ...before };
  return waitForServer(scope, cloud, server, { ...kept, reinstall: accepted });
}

function notRebuildable({ status }: Server): Problem | undefined {
  if (REBUILDABLE_STATES.has(status)) return undefined;
  if (BUSY_CPU.has(status)) {
    return {
      reason: ConditionReason.WaitingForServer,
      message: `the server is ${status}; it will be reinstalled afterwards`,
    };
  }
  const message = `the server is ${status}, and the cloud can reinstall only ACTIVE, SHUTOFF or ERROR servers: bring it back to ACTIVE`;
  return { reason: ConditionReason.ServerStopped, message };
}

function busy({ id }: Server, detail: string): Problem {
  const words = detail.replaceAll(id, '…').replace(/\.$/, '');
  if (/\blocked\b/i.test(detail)) {
    const message = `the server is locked: openstack server unlock ${id}`;
    return { reason: ConditionReason.ServerLocked, message };
  }
  return { reason: ConditionReason.WaitingForServer, message: `the cloud cannot reinstall the server yet: ${words}` };
}

/** The part of a node's user data that depends on its server's size. */
function sizeOf({ flavor }: Server): { vcpus: number; ram: number; disk: number } {
  if ('vcpus' in flavor) return flavor;
  // Nova embeds the flavor since 2.47, and accepts user data with a rebuild since 2.57.
  throw new Error('the cloud does not report the size of the server');
}

/** Checks the list less and less often, and immediately once the node is back. */
async function waitForServer(
  scope: MachineScope,
  cloud: ProjectCloud,
  server: Server,
  kept: Installation,
): Promise<Installation> {
  const { node } = scope;
  const { servers } = cloud.cache;
  if (server.status === 'ERROR' && stateOf(cloud, server, kept.reinstall) !== 'rebuilding') {
    const message = `the server failed during reinstallation: ${server.fault?.message ?? 'the cloud gives no reason'}`;
    return { ...kept, waiting: { reason: ConditionReason.ServerFailed, message, progress: 40 } };
  }
  const acceptedMs = Date.parse(kept.reinstall?.acceptedTime ?? '');
  const listedAtMs = Math.max(servers.snapshot().listedAtMs ?? acceptedMs, acceptedMs);
  const isLate = listedAtMs - acceptedMs > LAST_POLL_MS;
  const pollMs = isLate ? Number.POSITIVE_INFINITY : listedAtMs + Math.max(listedAtMs - acceptedMs, FIRST_POLL_MS);
  const hasRejoined = node && kept.reinstall && isNodeReady(node) && hasBootedSince(node, kept.reinstall);
  if (hasRejoined || pollMs <= scope.now()) await servers.refreshAfter(hasRejoined ? scope.now() : pollMs);
  const message = 'the cloud is reinstalling the server';
  const retryAfterMs = isLate ? undefined : Math.max(pollMs - scope.now(), SECOND_MS);
  return { ...kept, waiting: { reason: ConditionReason.Reinstalling, message, progress: 50, retryAfterMs } };
}

function bootIDOf({ node }: MachineScope): { bootID?: string } {
  const bootID = node?.status?.nodeInfo?.bootID;
  return bootID === undefined ? {} : { bootID };
}

/** Uncordons the node, unless someone had cordoned it before. */
async function restoreServer(scope: MachineScope, reinstall: MachineReinstall | undefined): Promise<void> {
  if (reinstall?.wasCordoned) return;
  await scope.dependencies.attempts.withBackoff({ kind: 'uncordon', item: scope.uid }, () => setCordon(scope, false));
}

async function revokeToken({ cluster, machine, uid, dependencies }: MachineScope): Promise<void> {
  const { attempts, bootstrapper } = dependencies;
  if (cluster === undefined) return;
  await attempts.withBackoff({ kind: 'revoke token', item: uid }, () => bootstrapper.revoke(cluster, machine));
}
