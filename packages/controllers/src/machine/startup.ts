import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { nodeStartupTimeoutMs } from '@fairway/api/domain/node-startup-timeout';
import type { Machine, MachineStartup, MachineStatus } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import type { Problem } from '@fairway/tenancy/problem';
import { consoleLines, lastLines } from './console-lines.ts';
import { hasBootedSince, hasTakenEffect } from './reinstall-plan.ts';
import type { MachineScope } from './scope.ts';

/** An unresponsive console does not delay a pass longer than this. */
const CONSOLE_TIMEOUT_MS = 15_000;
/** Lines requested from the cloud, before empty lines and escape sequences are removed. */
const CONSOLE_LINES = 50;
/** Length limit in a condition, which `kubectl get` displays. */
const MAX_MESSAGE_CHARS = 300;
/** Length limit in an Event, in addition to the rest of its message. */
const MAX_EVENT_CHARS = 600;

/** The facts that decide whether a machine's node has started in time. */
export interface StartupFacts {
  /** The machine's server, if it is ACTIVE. */
  readonly serverID: string | undefined;
  readonly hasNode: boolean;
  /** Whether the cluster's network is ready: otherwise the server may have no route to the control plane. */
  readonly hasNetwork: boolean;
  readonly timeoutMs: number;
  /** The console as read in this pass. */
  readonly console?: readonly string[] | undefined;
}

/** The startup after this pass; undefined when there is none to report. Pure. */
export function nextStartupStatus(
  { status }: Machine,
  { serverID, hasNode, hasNetwork, timeoutMs, console }: StartupFacts,
  nowMs: number,
): MachineStartup | undefined {
  const last = status?.startup;
  if (hasNode || status?.readyTime !== undefined) return undefined;
  // The server cannot join without its network, and a repair would not help: its time restarts.
  if (!hasNetwork) return last?.timedOutTime === undefined ? undefined : last;
  // The state is unknown while the server changes from one state to another.
  if (serverID === undefined) return last;
  const { activeTime } = last?.serverID === serverID ? last : { activeTime: formatTime(nowMs) };
  if (nowMs < Date.parse(activeTime) + timeoutMs) return { serverID, activeTime };
  if (last?.serverID === serverID && last.timedOutTime !== undefined) return last;
  const timedOutTime = formatTime(nowMs);
  return { serverID, activeTime, timedOutTime, ...(console && { console: [...console] }) };
}

/** Why no node has joined within the timeout; the message stays the same for as long as the problem lasts. */
export function startupProblem(
  startup: MachineStartup | undefined,
  timeoutMs: number,
  url: string | undefined,
): Problem | undefined {
  if (startup?.timedOutTime === undefined) return undefined;
  return {
    reason: ConditionReason.NodeStartupTimeout,
    message: startupMessage(startup, timeoutMs, url, MAX_MESSAGE_CHARS),
  };
}

function startupMessage(
  startup: MachineStartup,
  timeoutMs: number,
  url: string | undefined,
  maxLength: number,
): string {
  const { activeTime, console = [] } = startup;
  const endpoint = url === undefined ? "the cluster's API server" : url;
  const lines = lastLines(console, maxLength);
  const ends = lines === '' ? 'its console output is not available' : `end of its console output: ${lines}`;
  return (
    `the server has not joined the cluster as a node for ${describeDuration(timeoutMs)}; it has been ACTIVE since ${activeTime}. ` +
    `Check its network (can it reach ${endpoint} and the Internet?), its image and cloud-init; ${ends}`
  );
}

function describeDuration(durationMs: number): string {
  return durationMs % 60_000 === 0 ? `${durationMs / 60_000} min` : `${durationMs / 1000} s`;
}

/** The facts about the startup of the machine's node; undefined until its control plane is up. */
export async function startupStatus(
  scope: MachineScope,
  server: { readonly id: string } | undefined,
  { installed, reinstall }: Pick<MachineStatus, 'installed' | 'reinstall'>,
): Promise<StartupFacts | undefined> {
  const { cluster, machine, node } = scope;
  if (cluster === undefined || !scope.isNodeKnown || !hasTakenEffect(installed, reinstall)) return undefined;
  if (!isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady)) return undefined;
  const isActive = server !== undefined && 'status' in server && server.status === 'ACTIVE';
  const facts = {
    serverID: isActive ? server.id : undefined,
    hasNode: node !== undefined && (reinstall === undefined || hasBootedSince(node, reinstall)),
    hasNetwork: isConditionTrue(cluster.status?.conditions, ConditionType.NetworkReady),
    timeoutMs: timeoutOf(scope),
  };
  const next = nextStartupStatus(machine, facts, scope.now());
  // Read once for each server: later output is not a reason to read it again.
  const isNew = next?.timedOutTime !== undefined && machine.status?.startup?.timedOutTime === undefined;
  return isNew ? { ...facts, console: await readConsole(scope, next.serverID) } : facts;
}

/** The delay until the startup must be checked again; undefined if it need not be checked again. */
export function startupDueMs(
  { startup }: MachineStatus,
  facts: StartupFacts | undefined,
  nowMs: number,
): number | undefined {
  if (facts === undefined || startup === undefined || startup.timedOutTime !== undefined) return undefined;
  return Math.max(Date.parse(startup.activeTime) + facts.timeoutMs - nowMs, 0) + 1;
}

function timeoutOf({ cluster, pool, dependencies }: MachineScope): number {
  const plan = dependencies.cache.plans.get(cluster?.spec.plan ?? '');
  return nodeStartupTimeoutMs(pool?.spec, plan?.spec);
}

/**
 * Some clouds reject the request, and a missing explanation must not cause a failure: in that case there are no lines.
 */
async function readConsole(
  { cloud, dependencies, signal }: MachineScope,
  serverID: string,
): Promise<readonly string[]> {
  if (cloud === undefined) return [];
  const deadline = new AbortController();
  const timer = dependencies.clock.after(CONSOLE_TIMEOUT_MS, () => deadline.abort());
  try {
    const options = { signal: AbortSignal.any([signal, deadline.signal]) };
    return consoleLines(await cloud.client.compute.servers.consoleLog(serverID, CONSOLE_LINES, options));
  } catch {
    signal.throwIfAborted();
    return [];
  } finally {
    timer.cancel();
  }
}

/** Records an Event once, with more of the console than fits in a condition. */
export function recordStartupEvents(
  { machine, cluster, dependencies }: MachineScope,
  startup: MachineStartup | undefined,
  timeoutMs: number,
): void {
  if (startup?.timedOutTime === undefined || machine.status?.startup?.timedOutTime !== undefined) return;
  const message = startupMessage(startup, timeoutMs, cluster?.status?.url, MAX_EVENT_CHARS);
  dependencies.events.warning(machine, ConditionReason.NodeStartupTimeout, message);
}
