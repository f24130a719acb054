import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Cloud } from '@fairway/simulator/cloud';
import type { CallCount } from '@fairway/simulator/http/calls';
import type { Delays } from '../../tests/upstream-cloud-provider/simulated-cloud.ts';

/** A cluster whose Services get load balancers on a separate simulated cloud. */
export interface Subject {
  readonly name: string;
  readonly cloud: Cloud;
  /** The cluster's API. */
  readonly api: KubeClient;
  /** Whether calls of this kind come from the subject, not from the simulated nodes or the benchmark. */
  isOwn(call: CallCount): boolean;
  /** Adds a server that joins as a node; resolves when the Node exists. */
  addNode(): Promise<void>;
  /** Resident memory of the load balancer controller in bytes; undefined if it has no separate process. */
  memory(): number | undefined;
  /** Restarts the load balancer controller. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const NODES = 3;

/** Roughly the durations of a fast cloud. */
export const FAST_PACE: Delays = { createMs: 1_500, updateMs: 500 };

export const SLOW_PACE: Delays = { createMs: 60_000, updateMs: 5_000 };
