import { acts, type FieldLedger } from './entry.ts';

const SHAPES_TEST = 'packages/controllers/src/behaviour/shapes.test.ts';
const TEMPLATE_REMOVALS_TITLE = 'set annotations and finalizers on existing nodes, and remove them again';
const LABELS_TITLE = 'set labels, annotations and taints on existing nodes';

const AUTOSCALING_TEST = 'packages/controllers/src/behaviour/autoscaling.test.ts';
const BOUNDS_TEST = 'packages/controllers/src/behaviour/scheduled-bounds.test.ts';
const SCHEDULED_NODES_TITLE = 'adds nodes when the schedule starts, and removes them after it ends';
const UPGRADE_TEST = 'packages/controllers/src/behaviour/upgrade.test.ts';
const SPEC_FIELDS_TEST = 'packages/controllers/src/behaviour/spec-fields.test.ts';
const HEALING_TEST = 'packages/controllers/src/behaviour/healing.test.ts';
const RULES_TEST = 'packages/api/src/validation/object-rules.test.ts';

const SERVER_LABELS_TEST = 'packages/controllers/src/behaviour/server-labels.test.ts';
const NETWORKS_TEST = 'packages/controllers/src/behaviour/additional-networks.test.ts';
const PORT_PER_NETWORK_TITLE =
  'give each server one port per network, while the node’s address stays in the first network';
const NAMED_SUBNET_TITLE = 'use the subnet that the pool specifies if a network has several';
const IN_PLACE_CHANGES_TITLE = 'are applied to existing servers in place, and are removed with the field';

const SECURITY_GROUPS_TEST = 'packages/controllers/src/behaviour/security-groups.test.ts';

export const NODE_POOL_FIELDS: FieldLedger = {
  'spec.clusterName': acts(
    'packages/controllers/src/behaviour/lifecycle.test.ts',
    'a machine that is deleted is replaced',
  ),
  'spec.flavor': acts(SHAPES_TEST, 'accept a flavor by its ID'),
  'spec.replicas': acts(SHAPES_TEST, 'spread its nodes over its zones'),
  'spec.minReplicas': acts(RULES_TEST, 'refuses %j at %s'),
  'spec.maxReplicas': acts(RULES_TEST, 'refuses %j at %s'),
  'spec.autoscaling.enabled': acts(
    AUTOSCALING_TEST,
    'starts from zero with as many nodes as the pods need, and reports why',
  ),
  'spec.autoscaling.priority': acts(
    AUTOSCALING_TEST,
    'selects the pool that wastes the least, unless another has priority',
  ),
  'spec.autoscaling.scaleDownUtilizationThreshold': acts(AUTOSCALING_TEST, 'scaling down with the pool’s settings'),
  'spec.autoscaling.scaleDownUnneededTime': acts(AUTOSCALING_TEST, 'scaling down with the pool’s settings'),
  'spec.autoscaling.scaleDownUnreadyTime': acts(AUTOSCALING_TEST, 'waits longer for a node that is not ready'),
  'spec.autoscaling.schedules[].name': acts(BOUNDS_TEST, SCHEDULED_NODES_TITLE),
  'spec.autoscaling.schedules[].start': acts(BOUNDS_TEST, SCHEDULED_NODES_TITLE),
  'spec.autoscaling.schedules[].end': acts(BOUNDS_TEST, SCHEDULED_NODES_TITLE),
  'spec.autoscaling.schedules[].timeZone': acts(BOUNDS_TEST, SCHEDULED_NODES_TITLE),
  'spec.autoscaling.schedules[].minReplicas': acts(BOUNDS_TEST, SCHEDULED_NODES_TITLE),
  'spec.autoscaling.schedules[].maxReplicas': acts(
    BOUNDS_TEST,
    'adds no more nodes than the maximum, and pods report that',
  ),
  'spec.antiAffinity': acts(SHAPES_TEST, 'give its nodes a server group, which is deleted with the pool'),
  'spec.antiAffinityPolicy': acts(SHAPES_TEST, 'allow more nodes than hypervisors with soft anti-affinity'),
  'spec.availabilityZones': acts(SHAPES_TEST, 'spread its nodes over its zones'),
  'spec.template.metadata.labels': acts(SHAPES_TEST, LABELS_TITLE),
  'spec.template.metadata.annotations': acts(SHAPES_TEST, TEMPLATE_REMOVALS_TITLE),
  'spec.template.metadata.finalizers': acts(SHAPES_TEST, TEMPLATE_REMOVALS_TITLE),
  'spec.template.spec.taints[].key': acts(SHAPES_TEST, LABELS_TITLE),
  'spec.template.spec.taints[].value': acts(SHAPES_TEST, LABELS_TITLE),
  'spec.template.spec.taints[].effect': acts(SHAPES_TEST, LABELS_TITLE),
  'spec.template.spec.unschedulable': acts(SHAPES_TEST, LABELS_TITLE),
  'spec.serverTags': acts(SERVER_LABELS_TEST, IN_PLACE_CHANGES_TITLE),
  'spec.serverMetadata': acts(SERVER_LABELS_TEST, IN_PLACE_CHANGES_TITLE),
  'spec.securityGroups': acts(
    SECURITY_GROUPS_TEST,
    'are applied to existing servers in place, and are removed with the field',
  ),
  'spec.networks[].networkID': acts(NETWORKS_TEST, PORT_PER_NETWORK_TITLE),
  'spec.networks[].subnetID': acts(NETWORKS_TEST, NAMED_SUBNET_TITLE),
  'spec.kubelet.maxPods': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.podPidsLimit': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.cpuManagerPolicy': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.cpuCFSQuota': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.topologyManagerPolicy': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.topologyManagerScope': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.kubeReserved': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.systemReserved': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.evictionHard': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.evictionSoft': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.evictionSoftGracePeriod': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.evictionMaxPodGracePeriod': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.imageGCHighThresholdPercent': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.imageGCLowThresholdPercent': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.containerLogMaxSize': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.containerLogMaxFiles': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.serializeImagePulls': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.maxParallelImagePulls': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.seccompDefault': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.allowedUnsafeSysctls': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.shutdownGracePeriod': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.kubelet.shutdownGracePeriodCriticalPods': acts(SPEC_FIELDS_TEST, 'kubelet.%s of a pool is set on its nodes'),
  'spec.floatingIPs.enabled': acts(SHAPES_TEST, 'add and remove floating IPs, and keep the servers'),
  'spec.rootVolume.sizeGiB': acts(SPEC_FIELDS_TEST, "machines use their pool's image and root volume"),
  'spec.rootVolume.type': acts(SPEC_FIELDS_TEST, "machines use their pool's image and root volume"),
  'spec.image': acts(SPEC_FIELDS_TEST, "machines use their pool's image and root volume"),
  'spec.nodeStartupTimeout': acts(
    'packages/controllers/src/behaviour/startup.test.ts',
    'is reported after the $who’s timeout',
  ),
  'spec.healing.enabled': acts(HEALING_TEST, 'in a pool that has opted out, except on request'),
  'spec.healing.strategy': acts(HEALING_TEST, 'is $repaired according to the $who’s strategy'),
  'spec.healing.notReadyTimeout': acts(HEALING_TEST, 'is replaced after the $who’s timeout'),
  'spec.healing.maxUnhealthy': acts(HEALING_TEST, 'while more are broken than the pool allows'),
  'spec.upgradeStrategy.type': acts(
    UPGRADE_TEST,
    'replaces the nodes one after another, new ones first, after the control plane',
  ),
  'spec.upgradeStrategy.maxSurge': acts(UPGRADE_TEST, 'creates as many new nodes at a time as maxSurge allows'),
  'spec.upgradeStrategy.maxUnavailable': acts(UPGRADE_TEST, 'updates as many nodes at a time as maxUnavailable allows'),
  'spec.upgradeStrategy.priority': acts(UPGRADE_TEST, 'updates pools of a higher priority first'),
  'spec.upgradeStrategy.paused': acts(UPGRADE_TEST, 'stops updating nodes while it is paused, and after it is aborted'),
  'spec.upgradeStrategy.drainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'is $ms ms with pool $pool, plan $plan and maximum $most',
  ),
  'spec.upgradeStrategy.onDrainTimeout': acts(
    'packages/controllers/src/behaviour/held-drains.test.ts',
    'keeps waiting for the user after the timeout, at almost no cost, and can be forced',
  ),
};
