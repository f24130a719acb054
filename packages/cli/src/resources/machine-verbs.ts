import { isHibernationWanted } from '@fairway/api/domain/hibernation';
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
import { machineRepaired } from '../progress/repair-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';

/** Asks for a repair of a machine now, whatever its node says. */
export async function repairMachine(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const machine = await read(context, connection, name);
    const why = whyNotRepairable(machine) ?? (await whyClusterRests(context, connection, machine));
    if (why !== undefined) throw new CommandError(`machine "${name}" cannot be repaired: ${why}`);
    const requested = requestTimeAfter([machine.metadata.annotations?.[REPAIR_ANNOTATION]], context.clock.now());
    await annotate(context, connection, name, { [REPAIR_ANNOTATION]: requested });
    context.stdout.write(`${qualifiedName(machines, name)} repair requested: ${repairWords(machine)}\n`);
    const { clusterName, nodePoolName } = machine.spec;
    const goal = machineRepaired(machine, requested, nodePoolName);
    if (options.wait) await waitFor(context, connection, clusterName, goal, options.timeout);
  });
}

/** Keeps healing from a machine, or lets it have it again. */
export async function setExcluded(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  isExcluded: boolean,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const machine = await read(context, connection, name);
    const value = isExcluded ? new Date(context.clock.now()).toISOString() : null;
    const was = isExcludedFromHealing(machine);
    if (was !== isExcluded) await annotate(context, connection, name, { [EXCLUDE_FROM_HEALING_ANNOTATION]: value });
    const words = was === isExcluded ? unchangedWords(isExcluded) : exclusionWords(machine, isExcluded);
    context.stdout.write(`${qualifiedName(machines, name)} ${words}\n`);
  });
}

/** Has the server of a machine stay for so long when it is replaced or deleted. */
export async function keepMachine(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  duration: string,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const machine = await read(context, connection, name);
    await annotate(context, connection, name, { [KEEP_ANNOTATION]: duration });
    context.stdout.write(`${qualifiedName(machines, name)} ${keepWords(machine, duration)}\n`);
  });
}

/** What comes of keeping a machine. */
export function keepWords({ metadata }: Machine, duration: string): string {
  if (metadata.deletionTimestamp !== undefined) {
    return `is being deleted: if its server is still there, it stays for inspection until ${duration} after ${metadata.deletionTimestamp}`;
  }
  return `is kept: when it is replaced or deleted, its server stays for inspection for ${duration}, and the node is cordoned; to replace it now: fairway machine delete ${metadata.name}`;
}

/** Has a node that is being drained go with the pods that have not left. */
export async function forceDrain(context: CliContext, globals: GlobalOptions, name: string): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const machine = await read(context, connection, name);
    const goal = drainGoal(machine);
    if (goal === undefined) {
      const advice = `to drain a node that stays: kubectl drain ${machine.status?.nodeName ?? 'NODE'}; to have it replaced: fairway machine delete ${name}`;
      throw new CommandError(`machine "${name}" is not being drained: there is nothing to force`, { advice });
    }
    await annotate(context, connection, name, {
      [FORCE_DRAIN_ANNOTATION]: new Date(context.clock.now()).toISOString(),
    });
    context.stdout.write(
      `${qualifiedName(machines, name)} drain forced: ${goal} now, with the pods that are still on the node\n`,
    );
  });
}

/** What is done when the drain under way is over; undefined if there is none. */
export function drainGoal({ metadata, status }: Machine): string | undefined {
  const isDeleting = metadata.deletionTimestamp !== undefined && status?.phase !== 'Terminated';
  if (isDeleting) return 'the server goes';
  const { reinstall } = status ?? {};
  return reinstall !== undefined && reinstall.requestedTime === undefined ? 'the server is reinstalled' : undefined;
}

/** What is in the way of a repair; undefined if it can be asked for. */
export function whyNotRepairable(machine: Machine): string | undefined {
  const { metadata, status } = machine;
  const { name } = metadata;
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted already, and its pool replaces it';
  if (isPaused(machine)) return 'it is paused: remove the annotation fairway.dev/paused first';
  if (isExcludedFromHealing(machine)) {
    return `it is excluded from healing: "fairway machine include ${name}" comes first`;
  }
  if (status?.serverID === undefined) {
    return `it has no server yet, so that there is nothing to repair: "fairway machine get ${name}" says what it waits for`;
  }
  const { repair } = status.marks ?? {};
  return repair?.due ? `its repair is under way since ${repair.time}: ${repair.message}` : undefined;
}

/** What comes of a request. */
export function repairWords({ status, spec }: Machine): string {
  const state = status?.phase === 'Ready' ? 'its node is Ready, and is repaired all the same; ' : '';
  return `${state}its server is reinstalled or replaced, as spec.healing.strategy of pool ${spec.nodePoolName} or the plan says, once the API server of the cluster and the cloud answer`;
}

export function exclusionWords({ metadata, status }: Machine, isExcluded: boolean): string {
  if (!isExcluded) return 'included: its node is repaired again when it is broken';
  const isUnderWay = status?.marks?.repair?.due === true;
  const repair = isUnderWay ? 'the repair that has begun goes no further where it still can be left, and ' : '';
  return `excluded: ${repair}its node is not repaired until "fairway machine include ${metadata.name}"`;
}

function unchangedWords(isExcluded: boolean): string {
  return isExcluded ? 'is excluded already: nothing to change' : 'is not excluded: nothing to change';
}

function isExcludedFromHealing({ metadata }: Machine): boolean {
  return metadata.annotations?.[EXCLUDE_FROM_HEALING_ANNOTATION] !== undefined;
}

async function whyClusterRests(
  { signal }: CliContext,
  { client, namespace }: Connection,
  { spec }: Machine,
): Promise<string | undefined> {
  const { clusterName } = spec;
  const cluster = await undefinedIfNotFound(client.resource(clusters).get(clusterName, { namespace, signal }));
  if (cluster === undefined) return `cluster "${clusterName}" does not exist`;
  if (isPaused(cluster))
    return `cluster "${clusterName}" is paused: "fairway cluster resume ${clusterName}" comes first`;
  if (!isHibernationWanted(cluster)) return undefined;
  return `cluster "${clusterName}" hibernates, or is about to: its nodes go`;
}

function read({ signal }: CliContext, { client, namespace }: Connection, name: string): Promise<Machine> {
  return client.resource(machines).get(name, { namespace, signal });
}

export async function annotate(
  { signal }: CliContext,
  { client, namespace }: Connection,
  name: string,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const patch = { type: 'merge', value: { metadata: { annotations } } } as const;
  await client.resource(machines).patch(name, patch, { namespace, fieldManager: 'fairway', signal });
}
