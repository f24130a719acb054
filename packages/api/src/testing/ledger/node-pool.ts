import { acts, type FieldLedger } from './entry.ts';

const SHAPES = 'packages/controllers/src/behaviour/shapes.test.ts';
const TEMPLATE_REMOVALS = 'set annotations and finalizers on existing nodes, and remove them again';
const LABELS = 'set labels, annotations and taints on existing nodes';

const AUTOSCALING = 'packages/controllers/src/behaviour/autoscaling.test.ts';
const BOUNDS = 'packages/controllers/src/behaviour/scheduled-bounds.test.ts';
const SCHEDULED_NODES = 'adds nodes when the schedule starts, and removes them after it ends';
const UPGRADE = 'packages/controllers/src/behaviour/upgrade.test.ts';
const SPEC_FIELDS = 'packages/controllers/src/behaviour/spec-fields.test.ts';
const HEALING = 'packages/controllers/src/behaviour/healing.test.ts';
const RULES = 'packages/api/src/validation/object-rules.test.ts';

const SERVER_LABELS = 'packages/controllers/src/behaviour/server-labels.test.ts';
const NETWORKS = 'packages/controllers/src/behaviour/additional-networks.test.ts';
const PORT_PER_NETWORK = 'give each server one port in each, while the node’s address stays in the first network';
const NAMED_SUBNET = 'use the subnet that the pool names if a network has several';
const IN_PLACE_CHANGES = 'reach existing servers in place, and are removed with the field';

const SECURITY_GROUPS = 'packages/controllers/src/behaviour/security-groups.test.ts';

export const NODE_POOL_FIELDS: FieldLedger = {
  'spec.clusterName': acts(
    'packages/controllers/src/behaviour/lifecycle.test.ts',
    'a machine that is deleted is replaced',
  ),
  'spec.flavor': acts(SHAPES, 'accept a flavor by its ID'),
  'spec.replicas': acts(SHAPES, 'spread its nodes over its zones'),
  'spec.minReplicas': acts(RULES, 'refuses %j at %s'),
  'spec.maxReplicas': acts(RULES, 'refuses %j at %s'),
  'spec.autoscaling.enabled': acts(
    AUTOSCALING,
    'starts from zero with as many nodes as the pods need, and reports why',
  ),
  'spec.autoscaling.priority': acts(AUTOSCALING, 'selects the pool that wastes least, unless another has priority'),
  'spec.autoscaling.scaleDownUtilizationThreshold': acts(AUTOSCALING, 'scaling down with the pool’s settings'),
  'spec.autoscaling.scaleDownUnneededTime': acts(AUTOSCALING, 'scaling down with the pool’s settings'),
  'spec.autoscaling.scaleDownUnreadyTime': acts(AUTOSCALING, 'waits longer for a node that is not ready'),
  'spec.autoscaling.schedules[].name': acts(BOUNDS, SCHEDULED_NODES),
  'spec.autoscaling.schedules[].start': acts(BOUNDS, SCHEDULED_NODES),
  'spec.autoscaling.schedules[].end': acts(BOUNDS, SCHEDULED_NODES),
  'spec.autoscaling.schedules[].timeZone': acts(BOUNDS, SCHEDULED_NODES),
  'spec.autoscaling.schedules[].minReplicas': acts(BOUNDS, SCHEDULED_NODES),
  'spec.autoscaling.schedules[].maxReplicas': acts(BOUNDS, 'adds no more nodes than the maximum, and pods report that'),
  'spec.antiAffinity': acts(SHAPES, 'give its nodes a server group, which is deleted with the pool'),
  'spec.antiAffinityPolicy': acts(SHAPES, 'allow more nodes than hypervisors with soft anti-affinity'),
  'spec.availabilityZones': acts(SHAPES, 'spread its nodes over its zones'),
  'spec.template.metadata.labels': acts(SHAPES, LABELS),
  'spec.template.metadata.annotations': acts(SHAPES, TEMPLATE_REMOVALS),
  'spec.template.metadata.finalizers': acts(SHAPES, TEMPLATE_REMOVALS),
  'spec.template.spec.taints[].key': acts(SHAPES, LABELS),
  'spec.template.spec.taints[].value': acts(SHAPES, LABELS),
  'spec.template.spec.taints[].effect': acts(SHAPES, LABELS),
  'spec.template.spec.unschedulable': acts(SHAPES, LABELS),
  'spec.serverTags': acts(SERVER_LABELS, IN_PLACE_CHANGES),
  'spec.serverMetadata': acts(SERVER_LABELS, IN_PLACE_CHANGES),
  'spec.securityGroups': acts(SECURITY_GROUPS, 'reach existing servers in place, and are removed with the field'),
  'spec.networks[].networkID': acts(NETWORKS, PORT_PER_NETWORK),
  'spec.networks[].subnetID': acts(NETWORKS, NAMED_SUBNET),
  'spec.kubelet.maxPods': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.podPidsLimit': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.cpuManagerPolicy': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.cpuCFSQuota': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.topologyManagerPolicy': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.topologyManagerScope': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.kubeReserved': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.systemReserved': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.evictionHard': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.evictionSoft': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.evictionSoftGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.evictionMaxPodGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.imageGCHighThresholdPercent': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.imageGCLowThresholdPercent': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.containerLogMaxSize': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.containerLogMaxFiles': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.serializeImagePulls': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.maxParallelImagePulls': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.seccompDefault': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.allowedUnsafeSysctls': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.shutdownGracePeriod': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.shutdownGracePeriodCriticalPods': acts(SPEC_FIELDS, 'kubelet.%s of a pool is set on its nodes'),
  'spec.floatingIPs.enabled': acts(SHAPES, 'add and remove floating IPs, and keep the servers'),
  'spec.rootVolume.sizeGiB': acts(SPEC_FIELDS, "machines get their pool's image and root volume"),
  'spec.rootVolume.type': acts(SPEC_FIELDS, "machines get their pool's image and root volume"),
  'spec.image': acts(SPEC_FIELDS, "machines get their pool's image and root volume"),
  'spec.nodeStartupTimeout': acts(
    'packages/controllers/src/behaviour/startup.test.ts',
    'is reported after the timeout of the $who',
  ),
  'spec.healing.enabled': acts(HEALING, 'in a pool that has opted out, except on request'),
  'spec.healing.strategy': acts(HEALING, 'is $repaired if the $who says so'),
  'spec.healing.notReadyTimeout': acts(HEALING, 'is replaced if the $who says so'),
  'spec.healing.maxUnhealthy': acts(HEALING, 'while more are broken than the pool allows'),
  'spec.upgradeStrategy.type': acts(
    UPGRADE,
    'replaces the nodes one after another, new ones first, after the control plane',
  ),
  'spec.upgradeStrategy.maxSurge': acts(UPGRADE, 'creates as many new nodes at a time as maxSurge allows'),
  'spec.upgradeStrategy.maxUnavailable': acts(UPGRADE, 'updates as many nodes at a time as maxUnavailable allows'),
  'spec.upgradeStrategy.priority': acts(UPGRADE, 'updates pools of a higher priority first'),
  'spec.upgradeStrategy.paused': acts(UPGRADE, 'stops updating nodes while it is paused, and after it is aborted'),
  'spec.upgradeStrategy.drainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'takes $ms ms with pool $pool, plan $plan and maximum $most',
  ),
  'spec.upgradeStrategy.onDrainTimeout': acts(
    'packages/controllers/src/behaviour/held-drains.test.ts',
    'waits beyond the timeout for the user at almost no cost, and can be forced',
  ),
};
