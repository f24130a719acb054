import { COMPONENTS, type Component, NEEDS } from './components.ts';

/** The observed process of a component. */
export interface ObservedProcess {
  /** Fingerprint of its launch. */
  readonly fingerprint: string;
  readonly ready: boolean;
  /** When it stopped answering; undefined while it answers. */
  readonly unreadySinceMs: number | undefined;
  /** When it was sent SIGTERM; undefined if it was not. */
  readonly terminatedAtMs: number | undefined;
  /** Why it must be stopped, such as for exceeding its memory limit. */
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
/** Restart a process that has been silent for this long while its dependencies answer: kube-apiserver takes up to a minute to start. */
export const HANGS_AFTER_MS = 120_000;

/** The steps to take now so that every component of `desired` runs as specified; pure. Waiting is not a step. */
export function planSteps(
  desired: Readonly<Partial<Record<Component, string>>>,
  observed: ObservedComponents,
  nowMs: number,
): Step[] {
  return COMPONENTS.flatMap((component): Step[] => {
    const { process, retryAtMs } = observed[component];
    const wanted = desired[component];
    if (wanted === undefined) return [];
    const areNeedsReady = NEEDS[component].every((need) => {
      const needed = desired[need];
      return needed === undefined || isSteady(needed, observed[need]);
    });
    if (process?.terminatedAtMs !== undefined) return killIfLate(component, process.terminatedAtMs, nowMs);
    if (process?.killReason !== undefined) return [{ do: 'terminate', component, reason: 'offends' }];
    // One at a time, starting with etcd: the API is interrupted once instead of once per component.
    if (!areNeedsReady) return [];
    if (process === undefined) return nowMs >= retryAtMs ? [{ do: 'start', component }] : [];
    if (process.fingerprint !== wanted) return [{ do: 'terminate', component, reason: 'changed' }];
    const hangs = process.unreadySinceMs !== undefined && nowMs - process.unreadySinceMs >= HANGS_AFTER_MS;
    return hangs ? [{ do: 'terminate', component, reason: 'hangs' }] : [];
  });
}

/** The steps to take now so that nothing runs: dependents stop before their dependencies. Pure. */
export function planStop(observed: ObservedComponents, nowMs: number): Step[] {
  return COMPONENTS.flatMap((component): Step[] => {
    const { process } = observed[component];
    if (process === undefined) return [];
    if (process.terminatedAtMs !== undefined) return killIfLate(component, process.terminatedAtMs, nowMs);
    const isNeeded = COMPONENTS.some(
      (other) => NEEDS[other].includes(component) && observed[other].process !== undefined,
    );
    return isNeeded ? [] : [{ do: 'terminate', component, reason: 'unwanted' }];
  });
}

function isSteady(fingerprint: string, { process }: ObservedComponent): boolean {
  return process?.ready === true && process.terminatedAtMs === undefined && process.fingerprint === fingerprint;
}

function killIfLate(component: Component, terminatedAtMs: number, nowMs: number): Step[] {
  return nowMs - terminatedAtMs >= TERMINATION_GRACE_MS ? [{ do: 'kill', component }] : [];
}
