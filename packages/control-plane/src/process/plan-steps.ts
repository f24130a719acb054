import { COMPONENT_DEPENDENCIES, COMPONENTS, type Component } from './components.ts';

/** The observed process of a component. */
export interface ObservedProcess {
  /** Fingerprint of the launch. */
  readonly fingerprint: string;
  readonly ready: boolean;
  /** When it stopped responding; undefined while it is responding. */
  readonly unreadySinceMs: number | undefined;
  /** When it was sent SIGTERM; undefined if it was not. */
  readonly terminatedAtMs: number | undefined;
  /** Why it has to be stopped, for example because it exceeds its memory limit. */
  readonly killReason: string | undefined;
}

export interface ObservedComponent {
  readonly process: ObservedProcess | undefined;
  /** Earliest time of the next start. */
  readonly retryAtMs: number;
}

export type ObservedComponents = Readonly<Record<Component, ObservedComponent>>;

export type Step =
  | { readonly do: 'start'; readonly component: Component }
  | {
      readonly do: 'terminate';
      readonly component: Component;
      readonly reason: 'changed' | 'hangs' | 'offends' | 'unwanted';
    }
  | { readonly do: 'kill'; readonly component: Component };

/** Grace period for a shutdown. etcd and kube-apiserver take a second or two. */
export const TERMINATION_GRACE_MS = 20_000;
/**
 * A process that has not responded for this long is restarted if its dependencies respond: kube-apiserver takes up to a
 * minute to start.
 */
export const HANG_TIMEOUT_MS = 120_000;

/** The next steps towards every component of `desired` running as specified. Waiting is not a step. Pure. */
export function planSteps(
  desired: Readonly<Partial<Record<Component, string>>>,
  observed: ObservedComponents,
  nowMs: number,
): Step[] {
  return COMPONENTS.flatMap((component): Step[] => {
    const { process, retryAtMs } = observed[component];
    const desiredLaunch = desired[component];
    if (desiredLaunch === undefined) return [];
    const areDependenciesReady = COMPONENT_DEPENDENCIES[component].every((need) => {
      const needed = desired[need];
      return needed === undefined || isSteady(needed, observed[need]);
    });
    if (process?.terminatedAtMs !== undefined) return killIfOverdue(component, process.terminatedAtMs, nowMs);
    if (process?.killReason !== undefined) return [{ do: 'terminate', component, reason: 'offends' }];
    // One at a time, starting with etcd: this interrupts the API only once, rather than once per component.
    if (!areDependenciesReady) return [];
    if (process === undefined) return nowMs >= retryAtMs ? [{ do: 'start', component }] : [];
    if (process.fingerprint !== desiredLaunch) return [{ do: 'terminate', component, reason: 'changed' }];
    const isHanging = process.unreadySinceMs !== undefined && nowMs - process.unreadySinceMs >= HANG_TIMEOUT_MS;
    return isHanging ? [{ do: 'terminate', component, reason: 'hangs' }] : [];
  });
}

/** The next steps towards nothing running: dependents stop before their dependencies. Pure. */
export function planStop(observed: ObservedComponents, nowMs: number): Step[] {
  return COMPONENTS.flatMap((component): Step[] => {
    const { process } = observed[component];
    if (process === undefined) return [];
    if (process.terminatedAtMs !== undefined) return killIfOverdue(component, process.terminatedAtMs, nowMs);
    const isNeeded = COMPONENTS.some(
      (other) => COMPONENT_DEPENDENCIES[other].includes(component) && observed[other].process !== undefined,
    );
    return isNeeded ? [] : [{ do: 'terminate', component, reason: 'unwanted' }];
  });
}

function isSteady(fingerprint: string, { process }: ObservedComponent): boolean {
  return process?.ready === true && process.terminatedAtMs === undefined && process.fingerprint === fingerprint;
}

function killIfOverdue(component: Component, terminatedAtMs: number, nowMs: number): Step[] {
  return nowMs - terminatedAtMs >= TERMINATION_GRACE_MS ? [{ do: 'kill', component }] : [];
}
