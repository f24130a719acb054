/** The API group of Fairway's kinds. */
export const GROUP = 'fairway.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Held by a Cluster, NodePool or Machine until everything that it owns in the cloud is gone. */
export const FINALIZER = `${GROUP}/cloud-resources`;

/** Name of the cluster that a NodePool, Machine, Secret or Event belongs to. */
export const CLUSTER_LABEL = `${GROUP}/cluster`;
/** UID of that cluster: what ownership is decided by; names are for people. */
export const CLUSTER_UID_LABEL = `${GROUP}/cluster-uid`;
/** Name of the pool, on Machines and on the nodes of the tenant's cluster. */
export const NODE_POOL_LABEL = `${GROUP}/node-pool`;

/** Identity of that pool, on Machines. */
export const NODE_POOL_UID_LABEL = `${GROUP}/node-pool-uid`;

/** On a Machine: take this one first when its pool shrinks. */
export const DELETE_FIRST_ANNOTATION = `${GROUP}/delete-first`;
/** On a Cluster, NodePool, Machine or CloudCredential: the controllers leave it alone while the annotation is there, and a cluster's pools and machines with it. */
export const PAUSED_ANNOTATION = `${GROUP}/paused`;
/** A new value, such as the time, asks Fairway to try immediately what it could not do: on a Cluster for all that belongs to it. */
export const RETRY_ANNOTATION = `${GROUP}/retry-requested`;

/** On the Secret of a cluster's roots of trust: since when its Cluster has been missing, RFC 3339. */
export const MISSING_SINCE_ANNOTATION = `${GROUP}/cluster-missing-since`;
/** On the same Secret: name of the CloudCredential that the cluster uses; empty for the operator's own login. */
export const CREDENTIAL_ANNOTATION = `${GROUP}/cloud-credential`;
/** On a CloudCredential that is being deleted: it goes although Keystone has not revoked it; its owner does that. */
export const SKIP_REVOCATION_ANNOTATION = `${GROUP}/skip-revocation`;

/** Where the operator's own Secrets (PKI, tokens) are kept. */
export const SYSTEM_NAMESPACE = 'fairway-system';
