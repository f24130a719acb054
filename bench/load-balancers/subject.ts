import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Cloud } from '@fairway/simulator/cloud';
import type { CallCount } from '@fairway/simulator/http/calls';
import type { Pace } from '../../tests/upstream-cloud-provider/simulated-cloud.ts';

/** A cluster whose Services get load balancers on a simulated cloud of its own. */
export interface Subject {
  readonly name: string;
  readonly cloud: Cloud;
  /** The cluster's API. */
  readonly api: KubeClient;
  /** Whether calls of this kind are the subject's, and not those of whoever plays its nodes or measures it. */
  isOwn(call: CallCount): boolean;
  /** Another server joins as a node; resolves when the Node is there. */
  addNode(): Promise<void>;
  /** Resident memory of what makes load balancers, in bytes; undefined where that has no process of its own. */
  memory(): number | undefined;
  /** Ends what makes load balancers, and starts it anew. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const NODES = 3;

/** About what a fast cloud does. */
export const FAST: Pace = { createMs: 1_500, updateMs: 500 };

export const SLOW: Pace = { createMs: 60_000, updateMs: 5_000 };
