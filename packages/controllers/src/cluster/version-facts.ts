import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ForcedUpgradeStatus } from '@fairway/api/kinds/forced-upgrade';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Problem } from '@fairway/tenancy/problem';

export interface NodeVersion {
  readonly name: string;
  readonly pool: string;
  /** Of its kubelet, or the one that it will start with. */
  readonly version: string;
}

export interface VersionFacts {
  readonly cluster: Cluster;
  readonly releases: readonly KubernetesRelease[];
  /** Looked at only before a minor version is left. */
  readonly nodes: () => readonly NodeVersion[];
  /** Whether its API server answers throughout an update. */
  readonly isSeamless: boolean;
  readonly nowMs: number;
}

/** What the control plane is to run. */
export interface VersionChoice {
  /** Undefined: nothing can be chosen, for `waiting`. */
  readonly version: string | undefined;
  /** Why it is not what the spec leads to; undefined if it is. */
  readonly waiting: Problem | undefined;
  /** `status.forcedUpgrade`, to be written along with the version. */
  readonly forced?: ForcedUpgradeStatus | undefined;
}
