import { acts, type FieldLedger } from './entry.ts';

const SHAPES = 'packages/controllers/src/behaviour/shapes.test.ts';
const GO_AGAIN = 'annotations and finalizers reach the nodes that there are, and go with the template';
const LABELS = 'labels, annotations and taints reach the nodes that there are';

const AUTOSCALING = 'packages/controllers/src/behaviour/autoscaling.test.ts';
const BOUNDS = 'packages/controllers/src/behaviour/scheduled-bounds.test.ts';
const HOLDS = 'has its nodes when the schedule starts, and gives them back after it ends';
const UPGRADE = 'packages/controllers/src/behaviour/upgrade.test.ts';
const SPEC_FIELDS = 'packages/controllers/src/behaviour/spec-fields.test.ts';
const HEALING = 'packages/controllers/src/behaviour/healing.test.ts';
const RULES = 'packages/api/src/validation/object-rules.test.ts';

const SERVER_LABELS = 'packages/controllers/src/behaviour/server-labels.test.ts';
const NETWORKS = 'packages/controllers/src/behaviour/further-networks.test.ts';
const IN_EACH = 'its servers have a port in each, and the address of the node stays in the first';
const IN_SUBNET = 'the subnet that the pool names counts where the network has several';
const REACH = 'reach servers that exist in place, and go with the field';

const SECURITY_GROUPS = 'packages/controllers/src/behaviour/security-groups.test.ts';

export const NODE_POOL_FIELDS: FieldLedger = {
  'spec.clusterName': acts(
    'packages/controllers/src/behaviour/lifecycle.test.ts',
    'a machine that is deleted is replaced',
  ),
  'spec.flavor': acts(SHAPES, 'its flavor is told by its id'),
  'spec.replicas': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.minReplicas': acts(RULES, '%j is wrong at %s'),
  'spec.maxReplicas': acts(RULES, '%j is wrong at %s'),
  'spec.autoscaling.enabled': acts(AUTOSCALING, 'from zero, by as many nodes as the pods need, and says why'),
  'spec.autoscaling.priority': acts(AUTOSCALING, 'takes the pool that wastes least, unless another one has priority'),
  'spec.autoscaling.scaleDownUtilizationThreshold': acts(AUTOSCALING, 'with settings of the pool'),
  'spec.autoscaling.scaleDownUnneededTime': acts(AUTOSCALING, 'with settings of the pool'),
  'spec.autoscaling.scaleDownUnreadyTime': acts(AUTOSCALING, 'waits longer for a node that is not ready'),
  'spec.autoscaling.schedules[].name': acts(BOUNDS, HOLDS),
  'spec.autoscaling.schedules[].start': acts(BOUNDS, HOLDS),
  'spec.autoscaling.schedules[].end': acts(BOUNDS, HOLDS),
  'spec.autoscaling.schedules[].timeZone': acts(BOUNDS, HOLDS),
  'spec.autoscaling.schedules[].minReplicas': acts(BOUNDS, HOLDS),
  'spec.autoscaling.schedules[].maxReplicas': acts(BOUNDS, 'lets no more nodes be, and lets pods say so'),
  'spec.antiAffinity': acts(SHAPES, 'its nodes share a server group, which goes with the pool'),
  'spec.antiAffinityPolicy': acts(SHAPES, 'soft anti-affinity lets more nodes than hypervisors be'),
  'spec.availabilityZones': acts(SHAPES, 'its nodes are spread over its zones'),
  'spec.template.metadata.labels': acts(SHAPES, LABELS),
  'spec.template.metadata.annotations': acts(SHAPES, GO_AGAIN),
  'spec.template.metadata.finalizers': acts(SHAPES, GO_AGAIN),
  'spec.template.spec.taints[].key': acts(SHAPES, LABELS),
  'spec.template.spec.taints[].value': acts(SHAPES, LABELS),
  'spec.template.spec.taints[].effect': acts(SHAPES, LABELS),
  'spec.template.spec.unschedulable': acts(SHAPES, LABELS),
  'spec.serverTags': acts(SERVER_LABELS, REACH),
  'spec.serverMetadata': acts(SERVER_LABELS, REACH),
  'spec.securityGroups': acts(SECURITY_GROUPS, 'reach servers that exist in place, and go with the field'),
  'spec.networks[].networkID': acts(NETWORKS, IN_EACH),
  'spec.networks[].subnetID': acts(NETWORKS, IN_SUBNET),
  'spec.kubelet.maxPods': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.podPidsLimit': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.cpuManagerPolicy': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.cpuCFSQuota': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.topologyManagerPolicy': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.topologyManagerScope': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.kubeReserved': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.systemReserved': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.evictionHard': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.evictionSoft': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.evictionSoftGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.evictionMaxPodGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.imageGCHighThresholdPercent': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.imageGCLowThresholdPercent': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.containerLogMaxSize': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.containerLogMaxFiles': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.serializeImagePulls': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.maxParallelImagePulls': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.seccompDefault': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.allowedUnsafeSysctls': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.shutdownGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.kubelet.shutdownGracePeriodCriticalPods': acts(SPEC_FIELDS, 'kubelet.%s of a pool is on its nodes'),
  'spec.floatingIPs.enabled': acts(SHAPES, 'floating IPs come and go with its spec, and its servers stay'),
  'spec.rootVolume.sizeGiB': acts(SPEC_FIELDS, "a pool's image and root volume are its machines'"),
  'spec.rootVolume.type': acts(SPEC_FIELDS, "a pool's image and root volume are its machines'"),
  'spec.image': acts(SPEC_FIELDS, "a pool's image and root volume are its machines'"),
  'spec.nodeStartupTimeout': acts(
    'packages/controllers/src/behaviour/startup.test.ts',
    'is told when the $who says so',
  ),
  'spec.healing.enabled': acts(HEALING, 'in a pool that has opted out, but what a person asks for'),
  'spec.healing.strategy': acts(HEALING, 'is $repaired where the $who says so'),
  'spec.healing.notReadyTimeout': acts(HEALING, 'is replaced when the $who says so'),
  'spec.healing.maxUnhealthy': acts(HEALING, 'while more are broken than the pool allows'),
  'spec.upgradeStrategy.type': acts(
    UPGRADE,
    'replaces the nodes one after another, new ones first, after the control plane',
  ),
  'spec.upgradeStrategy.maxSurge': acts(UPGRADE, 'makes as many new nodes at a time as maxSurge allows'),
  'spec.upgradeStrategy.maxUnavailable': acts(UPGRADE, 'takes as many nodes at a time as maxUnavailable allows'),
  'spec.upgradeStrategy.priority': acts(UPGRADE, 'renews pools of a higher priority first'),
  'spec.upgradeStrategy.paused': acts(UPGRADE, 'stops taking nodes while it is paused, and after it is aborted'),
  'spec.upgradeStrategy.drainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'pool $pool, plan $plan, at most $most: $ms ms',
  ),
  'spec.upgradeStrategy.onDrainTimeout': acts(
    'packages/controllers/src/behaviour/held-drains.test.ts',
    'waits beyond the time limit for the user, for hours and for next to nothing, and is forced by a word',
  ),
};
