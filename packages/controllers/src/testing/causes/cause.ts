import type { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { CloudConfig } from '@fairway/simulator/config';
import type { FaultInput } from '@fairway/simulator/http/faults';
import type { SwitchedFaults } from '../lasting-causes.ts';
import type { TestFairway } from '../test-fairway.ts';

/**
 * The reports about one cause. In messages, `{host}`, `{machine}`, `{time}`, `{url}`, `{versions}` and `{id}` represent
 * variable parts.
 */
export interface Cause {
  /** The problem, described for people. */
  readonly cause: string;
  /** How to bring the problem about: a name in `LASTING_CAUSES`, or steps. */
  readonly by: string | Steps;
  /** How long it takes until it is reported; 20 s by default. */
  readonly afterMs?: number;
  /** The kind of object that reports it. */
  readonly kind: 'Cluster' | 'NodePool' | 'Machine' | 'CloudCredential' | 'Plan' | 'KubernetesRelease';
  readonly phase: string | undefined;
  /** The reporting condition; Ready by default. */
  readonly condition?: ConditionType;
  readonly reason: ConditionReason;
  readonly message: string;
  /** The Event about it. */
  readonly event?: {
    readonly kind: 'Cluster' | 'Machine' | 'CloudCredential';
    readonly reason: string;
    readonly message: string;
  };
}

export interface Steps {
  /** `a cluster` has one Ready node. */
  readonly from: 'nothing' | 'a cluster';
  readonly nodesJoin?: false;
  readonly cloud?: Partial<CloudConfig>;
  readonly begin: (fairway: TestFairway, faults: SwitchedFaults) => unknown;
  /** The user's request that follows; by default, a cluster and a pool are created if there are none. */
  readonly request?: (fairway: TestFairway) => unknown;
  /** What happens 20 s later. */
  readonly laterChange?: (fairway: TestFairway) => unknown;
}

export const MINUTE_MS = 60_000;

/** Lasting faults of the cloud. */
export function fault(...inputs: readonly FaultInput[]): Steps['begin'] {
  return ({ cloud }) => {
    for (const input of inputs) cloud.faults.add({ ...input, times: null });
  };
}
