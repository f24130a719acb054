/** Fields whose Go type the models of @kubernetes/client-node flatten to a string or to `any`, by definition without `io.k8s.`. */

/** Fields, lists or maps of `resource.Quantity`. Clients may write these as numbers too. */
export const QUANTITIES: Readonly<Record<string, readonly string[]>> = {
  'api.core.v1.ContainerStatus': ['allocatedResources'],
  'api.core.v1.EmptyDirVolumeSource': ['sizeLimit'],
  'api.core.v1.LimitRangeItem': ['default', 'defaultRequest', 'max', 'maxLimitRequestRatio', 'min'],
  'api.core.v1.NodeAllocatableResourceClaimStatus': ['resources'],
  'api.core.v1.NodeStatus': ['allocatable', 'capacity'],
  'api.core.v1.PersistentVolumeClaimStatus': ['allocatedResources', 'capacity'],
  'api.core.v1.PersistentVolumeSpec': ['capacity'],
  'api.core.v1.PodSpec': ['overhead'],
  'api.core.v1.PodStatus': ['allocatedResources'],
  'api.core.v1.ResourceFieldSelector': ['divisor'],
  'api.core.v1.ResourceQuotaSpec': ['hard'],
  'api.core.v1.ResourceQuotaStatus': ['hard', 'used'],
  'api.core.v1.ResourceRequirements': ['limits', 'requests'],
  'api.core.v1.VolumeResourceRequirements': ['limits', 'requests'],
  'api.autoscaling.v2.HPAScalingRules': ['tolerance'],
  'api.autoscaling.v2.MetricTarget': ['averageValue', 'value'],
  'api.autoscaling.v2.MetricValueStatus': ['averageValue', 'value'],
  'api.node.v1.Overhead': ['podFixed'],
  'api.storage.v1.CSIStorageCapacity': ['capacity', 'maximumVolumeSize'],
};

/**
 * Fields that contain an object of any shape (`runtime.RawExtension`, `metav1.FieldsV1`); other `any` fields accept any
 * JSON.
 */
export const FREE_FORM_OBJECTS: Readonly<Record<string, readonly string[]>> = {
  'api.apps.v1.ControllerRevision': ['data'],
  'apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry': ['fieldsV1'],
  'apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources': ['status'],
};
