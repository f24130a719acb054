/** The reason of what a tenant's own cluster-autoscaler decides: in `status.autoscaling` of a NodePool and the mark `unneeded` of a Machine. */
export const EXTERNAL_AUTOSCALER = 'ExternalAutoscaler';
