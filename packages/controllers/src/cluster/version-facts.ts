import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ForcedUpgradeStatus } from '@fairway/api/kinds/forced-upgrade';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Problem } from '@fairway/tenancy/problem';

export interface NodeVersion {
  readonly name: string;
  readonly pool: string;
  /** The kubelet's version, or the one that it will start with. */
  readonly version: string;
}

export interface VersionFacts {
  readonly cluster: Cluster;
  readonly releases: readonly KubernetesRelease[];
  /** Called only before the cluster leaves its minor version. */
  readonly nodes: () => readonly NodeVersion[];
  /** Whether its API server stays available during an update. */
  readonly isSeamless: boolean;
  readonly nowMs: number;
}

/** The version that the control plane should run. */
export interface VersionChoice {
  /** Undefined if no version can be selected, because of `waiting`. */
  readonly version: string | undefined;
  /** Why the version differs from the one that results from the spec; undefined if it does not. */
  readonly waiting: Problem | undefined;
  /** `status.forcedUpgrade`, written along with the version. */
  readonly forced?: ForcedUpgradeStatus | undefined;
}
