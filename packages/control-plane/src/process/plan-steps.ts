import { COMPONENTS, type Component, NEEDS } from './components.ts';

/** A component's process, as it was found. */
export interface ObservedProcess {
  /** What it was started as. */
  readonly fingerprint: string;
  readonly ready: boolean;
  /** Since when it does not answer; undefined while it does. */
  readonly unreadySinceMs: number | undefined;
  /** When it was told to end; undefined if it was not. */
  readonly terminatedAtMs: number | undefined;
  /** What it has done that it is to be ended for, such as taking more memory than it may. */
  readonly offence: string | undefined;
}

export interface ObservedComponent {
  readonly process: ObservedProcess | undefined;
  /** Not to be started before. */
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

/** How long a component may take to end in order. etcd and kube-apiserver take a second or two. */
export const TERMINATION_GRACE_MS = 20_000;
/** A process that has not answered for so long, though all that it needs does, is restarted. kube-apiserver's own start takes up to a minute on a slow machine. */
export const HANGS_AFTER_MS = 120_000;

/** What to do now so that every component of `desired` runs as it says; pure. Waiting is no step. */
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
    if (process?.offence !== undefined) return [{ do: 'terminate', component, reason: 'offends' }];
    // One at a time, from etcd on: the API is away once, not for each.
    if (!areNeedsReady) return [];
    if (process === undefined) return nowMs >= retryAtMs ? [{ do: 'start', component }] : [];
    if (process.fingerprint !== wanted) return [{ do: 'terminate', component, reason: 'changed' }];
    const hangs = process.unreadySinceMs !== undefined && nowMs - process.unreadySinceMs >= HANGS_AFTER_MS;
    return hangs ? [{ do: 'terminate', component, reason: 'hangs' }] : [];
  });
}

/** What to do now so that nothing runs: who needs others ends before them. Pure. */
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
