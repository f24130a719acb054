import type { Pod, Taint } from '@fairway/kube/kinds/generated/types';

type PodSpec = Pod['spec'];

/** What an autoscaler finds, and what Fairway's makes of it. */
export interface Situation {
  /** Of all that is made for it: a part of names and a label's value. */
  readonly key: string;
  /** For people: "A pod asks for more memory than there is". */
  readonly name: string;
  readonly pools: Readonly<Record<string, SituationPool>>;
  readonly workloads: Readonly<Record<string, Workload>>;
  /** CPU that a DaemonSet asks for on each node. */
  readonly daemonCpu?: string;
  /** Pods of the workload that a PodDisruptionBudget keeps, by workload. */
  readonly budgets?: Readonly<Record<string, number>>;
  /** A flavor of its own that the cloud has none of. */
  readonly outOfStock?: string;
  /** Sizes that Fairway's autoscaler gives the pools; as they were where it is left out. */
  readonly ends?: Readonly<Record<string, number>>;
  /** Nodes that go, as `pool/index`. */
  readonly gone?: readonly string[];
  /** Why cluster-autoscaler ends elsewhere, for tenants; undefined where it does not. */
  readonly difference?: string;
}

export interface SituationPool {
  /** Nodes at first; none by default. */
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
  /** Whether nodes may go as soon as nobody needs them; an hour later by default. */
  readonly shrinks?: boolean;
  /** Annotations of its nodes. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Equal pods of one ReplicaSet. */
export interface Workload {
  /** The node of each pod that runs, as `pool/index`. */
  readonly on?: readonly string[];
  /** How many besides wait for a node. */
  readonly waiting?: number;
  readonly cpu: string;
  readonly memory?: string;
  readonly spec?: Partial<PodSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The situation's own by default. */
  readonly namespace?: 'kube-system';
  /** Whether no ReplicaSet would recreate them. */
  readonly isBare?: boolean;
  /** Whether those that wait are being deleted already. */
  readonly isBeingDeleted?: boolean;
  readonly priority?: number;
  /** The zone of a volume that each of them uses. */
  readonly volumeIn?: string;
}

/** What became of a situation: sizes of its pools, and nodes that went or are about to. */
export interface Outcome {
  readonly sizes: Readonly<Record<string, number>>;
  readonly gone: readonly string[];
}

export function sizesBefore({ pools }: Situation): Record<string, number> {
  return Object.fromEntries(Object.entries(pools).map(([name, { size = 0 }]) => [name, size]));
}

/** What Fairway's autoscaler is to make of it. */
export function expectedOf(situation: Situation): Outcome {
  return { sizes: { ...sizesBefore(situation), ...situation.ends }, gone: situation.gone ?? [] };
}
