import type { Pod, Taint } from '@fairway/kube/kinds/generated/types';

type PodSpec = Pod['spec'];

/** The initial state that an autoscaler finds, and Fairway's expected decision. */
export interface Situation {
  /** Part of all names, and the value of a label. */
  readonly key: string;
  /** A description for people: "A pod requests more memory than any node has". */
  readonly name: string;
  readonly pools: Readonly<Record<string, SituationPool>>;
  readonly workloads: Readonly<Record<string, Workload>>;
  /** CPU that a DaemonSet requests on each node. */
  readonly daemonCpu?: string;
  /** The number of pods that a PodDisruptionBudget protects, by workload. */
  readonly budgets?: Readonly<Record<string, number>>;
  /** A flavor, used only here, that the cloud has no capacity for. */
  readonly outOfStock?: string;
  /** Sizes to which Fairway's autoscaler scales the pools; unchanged by default. */
  readonly expectedSizes?: Readonly<Record<string, number>>;
  /** Nodes that are deleted, as `pool/index`. */
  readonly gone?: readonly string[];
  /** Why cluster-autoscaler's result differs, for tenants; undefined if it does not differ. */
  readonly difference?: string;
}

export interface SituationPool {
  /** Initial number of nodes; none by default. */
  readonly size?: number;
  /** 0 by default. */
  readonly min?: number;
  /** 5 by default. */
  readonly max?: number;
  /** b3-8 by default: two CPUs, 8 GiB. */
  readonly flavor?: string;
  readonly zones?: readonly string[];
  /** 0 by default. */
  readonly priority?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Whether unneeded nodes may be deleted immediately; an hour later by default. */
  readonly canShrink?: boolean;
  /** Annotations of its nodes. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Identical pods of one ReplicaSet. */
export interface Workload {
  /** The node of each running pod, as `pool/index`. */
  readonly on?: readonly string[];
  /** How many more pods are pending. */
  readonly waiting?: number;
  readonly cpu: string;
  readonly memory?: string;
  readonly spec?: Partial<PodSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The namespace; by default, the situation's own one. */
  readonly namespace?: 'kube-system';
  /** Whether no ReplicaSet would recreate the pods. */
  readonly isBare?: boolean;
  /** Whether the pending pods are already being deleted. */
  readonly isBeingDeleted?: boolean;
  readonly priority?: number;
  /** The zone of a volume that each pod uses. */
  readonly volumeIn?: string;
}

/** The outcome of a situation: sizes of its pools, and nodes that were or will be deleted. */
export interface Outcome {
  readonly sizes: Readonly<Record<string, number>>;
  readonly gone: readonly string[];
}

export function initialSizes({ pools }: Situation): Record<string, number> {
  return Object.fromEntries(Object.entries(pools).map(([name, { size = 0 }]) => [name, size]));
}

/** The decision expected from Fairway's autoscaler. */
export function expectedOutcome(situation: Situation): Outcome {
  return { sizes: { ...initialSizes(situation), ...situation.expectedSizes }, gone: situation.gone ?? [] };
}
