import type { Component } from './components.ts';

/** Resource limits of a control plane program. */
export interface ComponentLimits {
  /** In bytes; a program that uses more is restarted. Undefined: no limit. */
  readonly memoryBytes: number | undefined;
  /** Environment variables that make the Go runtime respect the limits. */
  readonly env: Readonly<Record<string, string>>;
}

/** Threads that execute Go code concurrently; the API server and etcd mostly wait for disks and clients. */
const GOMAXPROCS: Readonly<Record<Component, number>> = {
  etcd: 2,
  'kube-apiserver': 2,
  'kube-controller-manager': 1,
  'kube-scheduler': 1,
};

/** Each program's share of a control plane's memory, roughly in proportion to idle usage of 1.36. */
const MEMORY_SHARES: Readonly<Record<Component, number>> = {
  etcd: 0.2,
  'kube-apiserver': 0.55,
  'kube-controller-manager': 0.17,
  'kube-scheduler': 0.08,
};

/** Fraction of a program's memory above which garbage collection becomes aggressive (GOMEMLIMIT). */
const SOFT_LIMIT_FRACTION = 0.9;
const MIB = 2 ** 20;

/** Divides the plan's memory for a control plane; pure. */
export function componentLimits(component: Component, memoryMiB: number | undefined): ComponentLimits {
  const env = { GOMAXPROCS: String(GOMAXPROCS[component]) };
  if (memoryMiB === undefined) return { memoryBytes: undefined, env };
  const memoryBytes = Math.floor(memoryMiB * MEMORY_SHARES[component]) * MIB;
  return { memoryBytes, env: { ...env, GOMEMLIMIT: String(Math.floor(memoryBytes * SOFT_LIMIT_FRACTION)) } };
}
