import type { ConditionReason } from '@fairway/api/conditions';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import type { ClusterPki } from './pki/cluster-pki.ts';

/** The cluster that a control plane belongs to; the UID decides, names are for people. */
export interface ClusterIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

export interface Endpoint {
  /** Host name or address. */
  readonly host: string;
  readonly port: number;
}

/** What a control plane should be. */
export interface ControlPlaneSpec {
  readonly cluster: ClusterIdentity;
  /** Exact: `1.34.2`. */
  readonly version: string;
  readonly pki: ClusterPki;
  readonly podCIDR: string;
  readonly serviceCIDR: string;
  readonly apiServer: ClusterSpec['apiServer'];
  readonly topology: PlanSpec['controlPlane'];
  readonly etcdQuotaBytes: number;
  /** Further names that the API server's certificate must carry. */
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** When the database is to be saved; undefined: never. */
  readonly snapshots?: SnapshotPolicy | undefined;
  /** What the database is to be set back to, once; asking again for what was done does nothing. */
  readonly restore?: RestoreRequest | undefined;
  /** Ranges that its nodes have addresses of, as far as they are known. */
  readonly nodeNetworks: readonly string[];
  /** Where nodes and users were told to find it; kept forever, since it stands in their kubeconfigs. */
  readonly endpoint: Endpoint | undefined;
}

export interface SnapshotPolicy {
  readonly intervalMs: number;
  /** How many are kept; older ones go. */
  readonly keep: number;
  /** There is to be a snapshot that is not older than this. */
  readonly requestedAtMs?: number | undefined;
}

export interface SnapshotInfo {
  readonly name: string;
  readonly takenAtMs: number;
  readonly sizeBytes: number;
}

/** A snapshot to go back to; another time makes another request of it. */
export interface RestoreRequest {
  readonly snapshot: string;
  readonly requestedAt?: string | undefined;
}

/** What a runtime that keeps snapshots tells of them. */
export interface SnapshotsState {
  /** The newest first. */
  readonly list: readonly SnapshotInfo[];
  /** Why the last one that was due could not be taken. */
  readonly problem: string | undefined;
  /** The last request that was carried out. */
  readonly restored: (RestoreRequest & { readonly atMs: number }) | undefined;
  /** A request that is not carried out yet: what is being done, or why it can't be. */
  readonly restoring:
    | { readonly request: RestoreRequest; readonly message: string; readonly problem: RestoreProblem | undefined }
    | undefined;
}

/** NotFound: there is no such snapshot; choose another. Failed: the operator must do what the message says. */
export type RestoreProblem = 'NotFound' | 'Failed';

export type ControlPlanePhase = 'Starting' | 'Running' | 'Updating' | 'Failed';

/** What a control plane is. */
export interface ControlPlaneState {
  readonly phase: ControlPlanePhase;
  /** Set as soon as it is known, even while nothing answers there yet. */
  readonly endpoint: Endpoint | undefined;
  /** What it runs; undefined before it has run. */
  readonly version: string | undefined;
  /** For the condition ControlPlaneReady: True while phase is Running, also for the moments of an update that serves on. */
  readonly ready: boolean;
  readonly reason: ConditionReason;
  readonly message: string;
  /** Size of the database, where the runtime knows it. */
  readonly etcdUsageBytes: number | undefined;
  /** What of `spec.apiServer` is not in effect, why, and what is in its place; undefined: all is. */
  readonly settingsProblem?: string | undefined;
  /** Undefined where the runtime keeps none. */
  readonly snapshots?: SnapshotsState | undefined;
}

/**
 * Runs the control planes of tenant clusters: `simulated`, and later as local processes or as pods in management clusters.
 *
 * **Expected flow.** The Cluster controller calls `ensure` on every reconcile with what it wants, and `remove` until it
 * answers true. It reconciles again when `onChange` names the cluster.
 *
 * **Guarantees.** `ensure` is idempotent and level-triggered: it takes a step towards the spec and answers with what there
 * is, without waiting for what takes longer than a moment. Two calls for one cluster never work at the same time. What a
 * killed process left behind is found again by UID.
 *
 * **Errors.** What is wrong with one control plane is told in its state (phase Failed, reason, message); a rejection means
 * that the runtime itself could not be asked, and is retried.
 */
export interface ControlPlaneRuntime {
  readonly name: string;
  ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState>;
  /** Whether nothing of the cluster is left; its data goes for good. False: in progress, ask again. */
  remove(clusterUid: string): Promise<boolean>;
  /**
   * Lets go of a cluster that another process takes over: this one neither watches nor changes its control plane any more, until `ensure` asks for it
   * again. What runs outside of this process serves on. Nothing happens when there is nothing to let go of.
   */
  release(clusterUid: string): Promise<void>;
  /** UIDs of all clusters that the runtime holds anything of, for sweeping what has no Cluster any more. */
  list(): Promise<readonly string[]>;
  /** Calls back with a cluster's UID when its state may have changed by itself. Returns how to stop. */
  onChange(listener: (clusterUid: string) => void): () => void;
  /** Ends what runs in this process; data stays. */
  close(): Promise<void>;
}
