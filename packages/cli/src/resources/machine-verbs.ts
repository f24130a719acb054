import { shouldHibernate } from '@fairway/api/domain/hibernation';
import {
  EXCLUDE_FROM_HEALING_ANNOTATION,
  FORCE_DRAIN_ANNOTATION,
  KEEP_ANNOTATION,
  REPAIR_ANNOTATION,
} from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { CommandError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { requestTimeAfter } from '../command/request-time.ts';
import { localTime } from '../output/local-time.ts';
import { machineRepaired } from '../progress/repair-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';
import { requestChange } from './request-change.ts';

interface DryRun {
  readonly dryRun?: boolean;
}

/** Requests an immediate repair of a machine, whatever its node reports. */
export async function repairMachine(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions & DryRun,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const machine = await read(context, connection, name);
    const why = notRepairableReason(machine) ?? (await hibernationReason(context, connection, machine));
    if (why !== undefined) throw new CommandError(`machine "${name}" cannot be repaired: ${why}`);
    const requested = requestTimeAfter([machine.metadata.annotations?.[REPAIR_ANNOTATION]], context.clock.now());
    const words = `repair requested: ${repairMessage(machine)}`;
    const isRequested = await annotate(
      context,
      connection,
      machine,
      { [REPAIR_ANNOTATION]: requested },
      words,
      options,
    );
    const { clusterName, nodePoolName } = machine.spec;
    const goal = machineRepaired(machine, requested, nodePoolName);
    if (isRequested && options.wait) await waitFor(context, connection, clusterName, goal, options.timeout);
  });
}

/** Excludes a machine from healing, or includes it again. */
export async function setExcluded(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  isExcluded: boolean,
  options: DryRun,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const machine = await read(context, connection, name);
    const value = isExcluded ? new Date(context.clock.now()).toISOString() : null;
    const was = isExcludedFromHealing(machine);
    if (was === isExcluded) context.stdout.write(`${qualifiedName(machines, name)} ${unchangedMessage(isExcluded)}\n`);
    else {
      const words = exclusionMessage(machine, isExcluded);
      await annotate(context, connection, machine, { [EXCLUDE_FROM_HEALING_ANNOTATION]: value }, words, options);
    }
  });
}

/** Keeps the server of a machine for some time after it is replaced or deleted. */
export async function keepMachine(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  duration: string,
  options: DryRun,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const machine = await read(context, connection, name);
    const words = keepMessage(machine, duration);
    await annotate(context, connection, machine, { [KEEP_ANNOTATION]: duration }, words, options);
  });
}

/** The message after marking a machine whose server will be kept. */
export function keepMessage({ metadata }: Machine, duration: string): string {
  if (metadata.deletionTimestamp !== undefined) {
    return `is being deleted: if its server still exists, it is kept for inspection until ${duration} after ${localTime(metadata.deletionTimestamp)}`;
  }
  return `is marked: its server is kept for inspection for ${duration} after the machine is replaced or deleted, and the node is cordoned; to replace it now: fairway machine delete ${metadata.name}`;
}

/** Ends a drain without waiting for the remaining pods. */
export async function forceDrain(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: DryRun,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const machine = await read(context, connection, name);
    const goal = drainGoal(machine);
    if (goal === undefined) {
      const advice = `to drain a node without deleting it: kubectl drain ${machine.status?.nodeName ?? 'NODE'}; to have it replaced: fairway machine delete ${name}`;
      throw new CommandError(`machine "${name}" is not being drained`, { advice });
    }
    const now = new Date(context.clock.now()).toISOString();
    const words = `drain forced: ${goal} now, with the pods that are still on the node`;
    await annotate(context, connection, machine, { [FORCE_DRAIN_ANNOTATION]: now }, words, options);
  });
}

/** The goal after the current drain; undefined if there is none. */
export function drainGoal({ metadata, status }: Machine): string | undefined {
  const isDeleting = metadata.deletionTimestamp !== undefined && status?.phase !== 'Terminated';
  if (isDeleting) return 'the server is deleted';
  const { reinstall } = status ?? {};
  return reinstall !== undefined && reinstall.requestedTime === undefined ? 'the server is reinstalled' : undefined;
}

/** Why a repair can't be requested; undefined if it can. */
export function notRepairableReason(machine: Machine): string | undefined {
  const { metadata, status } = machine;
  const { name } = metadata;
  if (metadata.deletionTimestamp !== undefined) return 'it is already being deleted, and its pool replaces it';
  if (isPaused(machine)) return 'it is paused: remove the annotation fairway.dev/paused first';
  if (isExcludedFromHealing(machine)) {
    return `it is excluded from healing: run "fairway machine include ${name}" first`;
  }
  if (status?.serverID === undefined) {
    return `it has no server yet: run "fairway machine get ${name}" to see what it is waiting for`;
  }
  const { repair } = status.marks ?? {};
  return repair?.due ? `its repair has been in progress since ${localTime(repair.time)}: ${repair.message}` : undefined;
}

/** The result of a request. */
export function repairMessage({ status, spec }: Machine): string {
  const state = status?.phase === 'Ready' ? 'its node is Ready and is repaired anyway; ' : '';
  return `${state}its server is reinstalled or replaced, according to spec.healing.strategy of pool ${spec.nodePoolName} or the plan, once the API server of the cluster and the cloud respond`;
}

export function exclusionMessage({ metadata, status }: Machine, isExcluded: boolean): string {
  if (!isExcluded) return 'included: its node is repaired when it is unhealthy';
  const isInProgress = status?.marks?.repair?.due === true;
  const repair = isInProgress ? 'the repair in progress stops where it still can, and ' : '';
  return `excluded: ${repair}its node is not repaired until "fairway machine include ${metadata.name}"`;
}

function unchangedMessage(isExcluded: boolean): string {
  return isExcluded ? 'is already excluded: nothing to change' : 'is not excluded: nothing to change';
}

function isExcludedFromHealing({ metadata }: Machine): boolean {
  return metadata.annotations?.[EXCLUDE_FROM_HEALING_ANNOTATION] !== undefined;
}

async function hibernationReason(
  { signal }: CliContext,
  { client, namespace }: Connection,
  { spec }: Machine,
): Promise<string | undefined> {
  const { clusterName } = spec;
  const cluster = await undefinedIfNotFound(client.resource(clusters).get(clusterName, { namespace, signal }));
  if (cluster === undefined) return `cluster "${clusterName}" does not exist`;
  if (isPaused(cluster)) return `cluster "${clusterName}" is paused: run "fairway cluster resume ${clusterName}" first`;
  if (!shouldHibernate(cluster)) return undefined;
  return `cluster "${clusterName}" is hibernated or being hibernated: its nodes are deleted`;
}

function read({ signal }: CliContext, { client, namespace }: Connection, name: string): Promise<Machine> {
  return client.resource(machines).get(name, { namespace, signal });
}

/** Resolves with the updated machine; undefined after a dry run. */
function annotate(
  context: CliContext,
  connection: Connection,
  machine: Machine,
  annotations: Readonly<Record<string, string | null>>,
  words: string,
  { dryRun }: DryRun,
): Promise<Machine | undefined> {
  const value = { metadata: { annotations } };
  return requestChange(context, connection, { kind: machines, before: machine, value, words, dryRun });
}
