/** The API group of Fairway's kinds. */
export const GROUP = 'fairway.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Finalizer of a Cluster, NodePool or Machine; removed once all its cloud resources have been deleted. */
export const FINALIZER = `${GROUP}/cloud-resources`;

/** Finalizer of a Plan or KubernetesRelease; removed once no cluster uses it. */
export const IN_USE_FINALIZER = `${GROUP}/in-use`;

/** Name of the cluster that a NodePool, Machine, Secret or Event belongs to. */
export const CLUSTER_LABEL = `${GROUP}/cluster`;
/** UID of that cluster: it determines ownership; names are for display. */
export const CLUSTER_UID_LABEL = `${GROUP}/cluster-uid`;
/** Name of the pool, on Machines and on the nodes in the tenant's cluster. */
export const NODE_POOL_LABEL = `${GROUP}/node-pool`;

/** UID of that pool, on Machines. */
export const NODE_POOL_UID_LABEL = `${GROUP}/node-pool-uid`;

/** On a Machine: this machine is removed first when its pool is scaled down. */
export const DELETE_FIRST_ANNOTATION = `${GROUP}/delete-first`;
/**
 * On a Cluster, NodePool, Machine or CloudCredential: pauses reconciliation. On a Cluster, its pools and machines are
 * paused too.
 */
export const PAUSED_ANNOTATION = `${GROUP}/paused`;
/**
 * A changed value, such as the time, makes Fairway retry failed operations immediately; on a Cluster, this includes the
 * operations of its pools and machines.
 */
export const RETRY_ANNOTATION = `${GROUP}/retry-requested`;
/**
 * On a Cluster: a changed value, such as the time, immediately starts work that is waiting for the maintenance window.
 */
export const MAINTENANCE_ANNOTATION = `${GROUP}/maintenance-requested`;
/** On a Cluster: a changed value, such as the time, revokes all kubeconfigs issued before that. */
export const REVOKE_KUBECONFIGS_ANNOTATION = `${GROUP}/revoke-kubeconfigs`;
/**
 * On a Cluster: a changed value, such as the time, makes Fairway take over the cluster's own add-ons and revert changes
 * to Fairway's add-ons, once.
 */
export const ADOPT_ADDONS_ANNOTATION = `${GROUP}/adopt-addons`;

/** On a Cluster: a changed value, such as the time, starts a rotation of all its certificate authorities and keys. */
export const ROTATE_CREDENTIALS_ANNOTATION = `${GROUP}/rotate-credentials`;
/**
 * On a Cluster: setting it to the value that started the current rotation completes that rotation once all nodes are
 * prepared.
 */
export const COMPLETE_ROTATION_ANNOTATION = `${GROUP}/complete-rotation`;

/**
 * On a Machine: a changed value, such as the time, makes Fairway repair it now, regardless of the state of its node.
 */
export const REPAIR_ANNOTATION = `${GROUP}/repair-requested`;
/** On a Machine: its node is never repaired, whatever the value. */
export const EXCLUDE_FROM_HEALING_ANNOTATION = `${GROUP}/exclude-from-healing`;
/**
 * On a Machine: its drain no longer waits for pods. If the value is a time, this applies only to drains that began
 * before it; otherwise, to all drains.
 */
export const FORCE_DRAIN_ANNOTATION = `${GROUP}/force-drain`;
/**
 * On a Machine: its server is kept for inspection when it is replaced or deleted, for a duration or until a time; see
 * `domain/inspection`.
 */
export const KEEP_ANNOTATION = `${GROUP}/keep-for-inspection`;
/** On a Plan: the limits that were last copied from the Plan in `spec.limitsFrom`; written together with them. */
export const COPIED_LIMITS_ANNOTATION = `${GROUP}/copied-limits`;
/** On a NodePool: if its value equals `status.upgrade.target`, no more nodes are updated to that target. */
export const ABORT_UPGRADE_ANNOTATION = `${GROUP}/abort-upgrade`;

/** On the Secret of a cluster's CAs: the time since which its Cluster has been missing (RFC 3339). */
export const MISSING_SINCE_ANNOTATION = `${GROUP}/cluster-missing-since`;
/** On the same Secret: the name of the CloudCredential that the cluster uses; empty for the operator's credentials. */
export const CREDENTIAL_ANNOTATION = `${GROUP}/cloud-credential`;
/** Namespace annotation with which the operator selects the cloud for its clusters. */
export const CLOUD_ANNOTATION = `${GROUP}/cloud`;
/** On the ConfigMap that records a deleted cluster: the UID with which its cloud resources were marked. */
export const DELETED_CLUSTER_LABEL = `${GROUP}/ended-cluster`;
/** On the same ConfigMap: when the cluster's cleanup was completed (RFC 3339). */
export const CLEANUP_TIME_ANNOTATION = `${GROUP}/cluster-ended`;
/**
 * On the same ConfigMap: the ID of the cluster's project; absent if unknown. On a namespace: the ID of the OpenStack
 * project that it is bound to.
 */
export const PROJECT_ID_ANNOTATION = `${GROUP}/project-id`;
/**
 * On a CloudCredential that is being deleted: delete it without revoking it in Keystone, which is left to its owner.
 */
export const SKIP_REVOCATION_ANNOTATION = `${GROUP}/skip-revocation`;

/**
 * On a tenant's CustomResourceDefinition for VolumeSnapshots: `fairway` if Fairway binds them. With any other value, or
 * without one, the tenant's own snapshot-controller binds them.
 */
export const SNAPSHOT_CONTROLLER_ANNOTATION = `${GROUP}/snapshot-controller`;

/**
 * On a NodePool in a tenant's cluster: the state of Fairway's NodePool that was last synced to it, and how it looked
 * afterwards.
 */
export const SYNCED_STATE_ANNOTATION = `${GROUP}/shown`;
/** Finalizer on a NodePool in a tenant's cluster: the object stays until Fairway has observed the deletion. */
export const IN_CLUSTER_FINALIZER = `${GROUP}/node-pool`;
/** On Fairway's objects in tenants' clusters for their NodePools: Fairway reverts changes to them. */
export const IN_CLUSTER_LABEL = `${GROUP}/in-cluster-node-pools`;

/** User that Fairway acts as when it changes NodePools on behalf of requests made inside clusters. */
export const IN_CLUSTER_USER = 'system:fairway:in-cluster';

/** Namespace for the operator's own Secrets (PKI, tokens). */
export const SYSTEM_NAMESPACE = 'fairway-system';
