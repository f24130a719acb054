/**
 * The reason for decisions made by a tenant's own cluster-autoscaler, in `status.autoscaling` of a NodePool and the
 * mark `unneeded` of a Machine.
 */
export const EXTERNAL_AUTOSCALER = 'ExternalAutoscaler';
