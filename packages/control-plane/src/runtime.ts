import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import type { ConditionReason } from '@fairway/api/conditions';
import type { RestoreRequest } from '@fairway/api/domain/restore-request';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import type { LogLocation } from '@fairway/apiserver/audit/newest-lines';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { ClusterPki } from './pki/cluster-pki.ts';

/** The cluster that a control plane belongs to, identified by UID; names are for messages. */
export interface ClusterIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

export interface Endpoint {
  /** Host name or IP address. */
  readonly host: string;
  readonly port: number;
}

/** The user of a bearer token that is not one of the cluster's own; undefined if it is rejected. */
export type ReviewToken = (token: string) => Promise<UserInfo | undefined>;

/** Grants permissions in addition to RBAC; has no opinion on anything else. */
export type ReviewAccess = Authorizer;

/** The desired state of a control plane. */
export interface ControlPlaneSpec {
  readonly cluster: ClusterIdentity;
  /** Exact version, such as `1.34.2`. */
  readonly version: string;
  readonly pki: ClusterPki;
  readonly podCIDR: string;
  readonly serviceCIDR: string;
  readonly apiServer: ClusterSpec['apiServer'];
  /**
   * Token reviewer of the API server, used instead of `apiServer.keystone`; undefined: none. Changing it requires no
   * restart.
   */
  readonly reviewToken?: ReviewToken | undefined;
  /** Reviewer of permissions that neither the node authorizer nor RBAC grants; requires `reviewToken`. */
  readonly reviewAccess?: ReviewAccess | undefined;
  readonly topology: PlanSpec['controlPlane'];
  readonly etcdQuotaBytes: number;
  /** Additional subject alternative names of the API server's certificate. */
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /**
   * ValidatingAdmissionPolicies and their bindings that the API server must enforce although its users can neither see
   * nor change them; undefined: none. Changing them requires no restart.
   */
  readonly limitPolicies?: readonly KubeObject[] | undefined;
  /** Schedule of snapshots; undefined: none. */
  readonly snapshots?: SnapshotPolicy | undefined;
  /** A one-time restore; repeating a completed request has no effect. */
  readonly restore?: RestoreRequest | undefined;
  /** Known ranges that contain the nodes' addresses. */
  readonly nodeNetworks: readonly string[];
  /** Additional source addresses of the nodes' connections: those of the router, and floating IPs. */
  readonly nodeAddresses: readonly string[];
  /** The published endpoint; it never changes, because kubeconfigs contain it. */
  readonly endpoint: Endpoint | undefined;
}

export interface SnapshotPolicy {
  readonly intervalMs: number;
  /** Number of snapshots that are kept; older ones are deleted. */
  readonly keep: number;
  /** Requests a snapshot that is not older than this time. */
  readonly requestedAtMs?: number | undefined;
}

export interface SnapshotInfo {
  readonly name: string;
  readonly takenAtMs: number;
  readonly sizeBytes: number;
}

/** Status of snapshots, for runtimes that take them. */
export interface SnapshotsState {
  /** Newest first: those on this machine, and those that exist only as an off-host copy. */
  readonly list: readonly SnapshotInfo[];
  /** Why the last snapshot that was due could not be taken. */
  readonly problem: string | undefined;
  /**
   * Why the newest snapshot has no off-host copy, with the time of the newest copy; undefined if there is a copy or
   * none is requested.
   */
  readonly offHostProblem?: string | undefined;
  /** The last completed request. */
  readonly restored: (RestoreRequest & { readonly atMs: number }) | undefined;
  /** Earlier requests, newest first, as far back as the record goes. */
  readonly restoredBefore?: readonly RestoreRequest[] | undefined;
  /** A pending request with its progress, or why it fails. */
  readonly restoring:
    | { readonly request: RestoreRequest; readonly message: string; readonly problem: RestoreProblem | undefined }
    | undefined;
}

/** NotFound: the snapshot does not exist; choose another. Failed: the operator must act; see the message. */
export type RestoreProblem = 'NotFound' | 'Failed';

export type ControlPlanePhase = 'Starting' | 'Running' | 'Updating' | 'Failed';

/** The observed state of a control plane. */
export interface ControlPlaneState {
  readonly phase: ControlPlanePhase;
  /** Set as soon as it is known, even before a server responds there. */
  readonly endpoint: Endpoint | undefined;
  /** The version that it runs; undefined before its first start. */
  readonly version: string | undefined;
  /**
   * For the condition ControlPlaneReady: True while phase is Running, including updates that do not interrupt the API.
   */
  readonly ready: boolean;
  readonly reason: ConditionReason;
  readonly message: string;
  /** Size of the database, if the runtime can determine it. */
  readonly etcdUsageBytes: number | undefined;
  /** When the first certificate of the cluster's programs expires, if the runtime can determine it. */
  readonly certificatesEndMs?: number | undefined;
  /**
   * Which settings of `spec.apiServer` are not applied, why, and what is in effect instead; undefined if all are
   * applied.
   */
  readonly settingsProblem?: string | undefined;
  /** Who must act; by default the user whose settings do not work. */
  readonly settingsReason?: 'SettingsRejected' | 'SettingsNotEnforced' | undefined;
  /** Which access restrictions are in effect; undefined if none are used. */
  readonly settingsInEffect?: string | undefined;
  /** Whether `limitPolicies` are in effect; undefined if there are none, or while this is not known. */
  readonly limitPolicies?: LimitPoliciesState | undefined;
  /** Undefined if the runtime takes no snapshots. */
  readonly snapshots?: SnapshotsState | undefined;
}

/** `problem` says why the policies are not in effect. An earlier version of them may be. */
export type LimitPoliciesState =
  | { readonly mode: 'Manifests' }
  | { readonly mode: 'Objects'; readonly problem: string };

/** The failures that each control plane of a runtime survives, regardless of its plan. */
export interface ControlPlaneSpread {
  /** Number of copies of each component. */
  readonly replicas: number;
  /** Availability zones over which they are spread. */
  readonly zones: number;
}

/** One copy, on one machine. */
export const ONE_COPY: ControlPlaneSpread = { replicas: 1, zones: 1 };

/** Total resource usage of one process's control planes. */
export interface ControlPlaneUsage {
  readonly managed: number;
  /** Control planes with all programs running. */
  readonly running: number;
  /** Number of programs that exited unexpectedly or had to be killed since this process started. */
  readonly restarts: number;
  /** Undefined if control planes run in this process, or if the system does not report their memory. */
  readonly memoryBytes: number | undefined;
  /**
   * Number of audit events that could not be written for tenants since this process started; undefined if unknown here.
   */
  readonly auditEventsLost?: number;
}

/**
 * Runs the control planes of tenant clusters: simulated in this process, or as processes on this machine.
 *
 * **Expected flow.** The Cluster controller calls `ensure` with the desired state on every reconcile, and `remove`
 * until it returns true. It reconciles again when `onChange` names the cluster.
 *
 * **Guarantees.** `ensure` is idempotent and level-triggered: it takes a step towards the spec and returns the observed
 * state, without waiting for slow operations. Calls for one cluster never run concurrently. Resources left by a killed
 * process are found by UID.
 *
 * **Errors.** A failure of one control plane is reported in its state (phase Failed, reason, message); a rejection
 * means that the runtime itself failed, and is retried.
 */
export interface ControlPlaneRuntime {
  readonly name: string;
  readonly spread: ControlPlaneSpread;
  /** Whether API servers can connect to their clusters' nodes, if the network allows it. */
  readonly reachesNodes: boolean;
  /** Whether API servers use `reviewToken`. */
  readonly reviewsTokens: boolean;
  /** Which fields of a Cluster can't be honoured for new clusters, and why. */
  unenforcedFields(): Promise<UnenforcedFields>;
  /**
   * Exact versions that the runtime can run now; undefined: any. It may be called every minute, and includes versions
   * installed in the meantime. Replicas that share clusters support the same versions, because they share the machine;
   * otherwise, the result of the replica responsible for a KubernetesRelease applies to all.
   */
  versions(): Promise<readonly string[] | undefined>;
  ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState>;
  /**
   * Whether the control plane is fully stopped until the next `ensure`; its data, keys, snapshots and endpoint are
   * kept. False: in progress, call again. A control plane that never ran counts as hibernated. Programs left running by
   * an earlier process are stopped too.
   */
  hibernate(clusterUid: string): Promise<boolean>;
  /**
   * Whether the database and keys are deleted: the control plane is stopped, and the next `ensure` starts with an empty
   * database at the same endpoint. Snapshots are kept. False: in progress, call again. May be called repeatedly before
   * that `ensure`, including by another process.
   */
  wipe(clusterUid: string): Promise<boolean>;
  /** Whether the cluster is completely removed; its data is deleted permanently. False: in progress, call again. */
  remove(clusterUid: string): Promise<boolean>;
  /**
   * Releases a cluster that another process takes over: until the next `ensure`, this process neither watches nor
   * changes its control plane. Programs outside this process keep running. Idempotent.
   */
  release(clusterUid: string): Promise<void>;
  /** File with audit events of a cluster's API server, if requested; undefined if this process cannot read it. It may not exist yet. */
  auditLog(clusterUid: string): Promise<LogLocation | undefined>;
  /** UIDs of all clusters for which the runtime has resources, for garbage collection of those without a Cluster. */
  list(): Promise<readonly string[]>;
  /**
   * State of the control planes that this process manages and that are not hibernated. May read system statistics of
   * each of their processes.
   */
  usage(): ControlPlaneUsage;
  /** Calls back with a cluster's UID when its state may have changed. Returns a function that unsubscribes. */
  onChange(listener: (clusterUid: string) => void): () => void;
  /** Stops everything that runs in this process; data is kept. */
  close(): Promise<void>;
}
