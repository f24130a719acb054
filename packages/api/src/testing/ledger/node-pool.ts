import { acts, type FieldLedger, unproven } from './entry.ts';

const SHAPES = 'packages/controllers/src/behaviour/shapes.test.ts';
const LABELS = 'labels, annotations and taints reach the nodes that there are';

export const NODE_POOL_FIELDS: FieldLedger = {
  'spec.clusterName': acts(
    'packages/controllers/src/behaviour/lifecycle.test.ts',
    'a machine that is deleted is replaced',
  ),
  'spec.flavor': unproven('acts'),
  'spec.replicas': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.minReplicas': unproven('acts'),
  'spec.maxReplicas': unproven('acts'),
  'spec.autoscaling.enabled': unproven('notYet'),
  'spec.autoscaling.scaleDownUtilizationThreshold': unproven('notYet'),
  'spec.autoscaling.scaleDownUnneededTime': unproven('notYet'),
  'spec.autoscaling.scaleDownUnreadyTime': unproven('notYet'),
  'spec.antiAffinity': acts(SHAPES, 'its nodes share a server group, which goes with the pool'),
  'spec.availabilityZones': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.template.metadata.labels': acts(SHAPES, LABELS),
  'spec.template.metadata.annotations': unproven('acts'),
  'spec.template.metadata.finalizers': unproven('acts'),
  'spec.template.spec.taints[].key': acts(SHAPES, LABELS),
  'spec.template.spec.taints[].value': acts(SHAPES, LABELS),
  'spec.template.spec.taints[].effect': acts(SHAPES, LABELS),
  'spec.template.spec.unschedulable': acts(SHAPES, LABELS),
  'spec.floatingIPs.enabled': acts(SHAPES, 'floating IPs come and go with its spec, and its servers stay'),
  'spec.rootVolume.sizeGiB': unproven('acts'),
  'spec.rootVolume.type': unproven('acts'),
  'spec.image': unproven('acts'),
  'spec.upgradeStrategy.type': unproven('notYet'),
  'spec.upgradeStrategy.maxSurge': unproven('notYet'),
  'spec.upgradeStrategy.maxUnavailable': unproven('notYet'),
  'spec.upgradeStrategy.drainTimeout': unproven('acts'),
};
