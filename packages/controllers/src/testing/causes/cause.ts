import type { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { CloudConfig } from '@fairway/simulator/config';
import type { FaultInput } from '@fairway/simulator/http/faults';
import type { SwitchedFaults } from '../lasting-causes.ts';
import type { TestFairway } from '../test-fairway.ts';

/** What people are told of one cause. In messages `{host}`, `{machine}`, `{time}`, `{url}`, `{versions}` and `{id}` stand for what differs. */
export interface Cause {
  /** What is the matter, for people. */
  readonly cause: string;
  /** How it comes about: a name in `LASTING_CAUSES`, or steps. */
  readonly by: string | Steps;
  /** How long it takes until it is told; 20 s by default. */
  readonly afterMs?: number;
  /** Where it is told. */
  readonly kind: 'Cluster' | 'NodePool' | 'Machine' | 'CloudCredential' | 'Plan' | 'KubernetesRelease';
  readonly phase: string | undefined;
  /** Ready by default. */
  readonly condition?: ConditionType;
  readonly reason: ConditionReason;
  readonly message: string;
  /** An Event about it. */
  readonly event?: {
    readonly kind: 'Cluster' | 'Machine' | 'CloudCredential';
    readonly reason: string;
    readonly message: string;
  };
}

export interface Steps {
  /** A cluster has one node, which is Ready. */
  readonly from: 'nothing' | 'a cluster';
  readonly nodesJoin?: false;
  readonly cloud?: Partial<CloudConfig>;
  readonly begin: (fairway: TestFairway, faults: SwitchedFaults) => unknown;
  /** What is asked for then; without it, from nothing, a cluster and a pool. */
  readonly ask?: (fairway: TestFairway) => unknown;
  /** What comes 20 s later. */
  readonly afterwards?: (fairway: TestFairway) => unknown;
}

export const MINUTE_MS = 60_000;

/** Faults of the cloud that last. */
export function fault(...inputs: readonly FaultInput[]): Steps['begin'] {
  return ({ cloud }) => {
    for (const input of inputs) cloud.faults.add({ ...input, times: null });
  };
}
