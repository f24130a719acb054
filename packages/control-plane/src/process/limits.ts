import type { Component } from './components.ts';

/** What a program may take of the machine. */
export interface ComponentLimits {
  /** Bytes; one that takes more is restarted. Undefined: any. */
  readonly memoryBytes: number | undefined;
  /** Variables by which Go's runtime keeps to it. */
  readonly env: Readonly<Record<string, string>>;
}

/** Threads that run Go at a time; the API server and etcd wait for disks and clients most of the time. */
const GOMAXPROCS: Readonly<Record<Component, number>> = {
  etcd: 2,
  'kube-apiserver': 2,
  'kube-controller-manager': 1,
  'kube-scheduler': 1,
};

/** Shares of a control plane's memory, about those that idle ones of 1.36 take. */
const MEMORY_SHARES: Readonly<Record<Component, number>> = {
  etcd: 0.2,
  'kube-apiserver': 0.55,
  'kube-controller-manager': 0.17,
  'kube-scheduler': 0.08,
};

/** Share of its memory from which on Go collects garbage as hard as it can. */
const SOFT_SHARE = 0.9;
const MIB = 2 ** 20;

/** How the memory that the plan gives a control plane is divided; pure. */
export function componentLimits(component: Component, memoryMiB: number | undefined): ComponentLimits {
  const env = { GOMAXPROCS: String(GOMAXPROCS[component]) };
  if (memoryMiB === undefined) return { memoryBytes: undefined, env };
  const memoryBytes = Math.floor(memoryMiB * MEMORY_SHARES[component]) * MIB;
  return { memoryBytes, env: { ...env, GOMEMLIMIT: String(Math.floor(memoryBytes * SOFT_SHARE)) } };
}
