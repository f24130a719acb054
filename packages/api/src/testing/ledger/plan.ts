import { acts, type FieldLedger, inColumn, notYet } from './entry.ts';

/** Each field is a row of its tables. */
const UNAPPLIED = 'packages/controllers/src/behaviour/unapplied-fields.test.ts';

const ALLOWANCE = 'packages/controllers/src/behaviour/plan-allowance.test.ts';
const MORE_NODES =
  'makes no more nodes of a $what that is no longer in it, keeps those that are there, and lets them go';

const SPEC_FIELDS = 'packages/controllers/src/behaviour/spec-fields.test.ts';
const ADMISSION = 'packages/api/src/admission/admission.test.ts';

const STORAGE_CLASSES = 'packages/controllers/src/behaviour/storage-classes.test.ts';
const OF_THE_PLAN = 'have $field of the plan';
const POLICY = 'the policy of a cluster is there as long as the plan has limits';

export const PLAN_FIELDS: FieldLedger = {
  'spec.displayName': inColumn(),
  'spec.description': inColumn(),
  'spec.controlPlane.topology': acts(UNAPPLIED, '$replicas in $topology with $spread is $says'),
  'spec.controlPlane.replicas': acts(UNAPPLIED, '$replicas in $topology with $spread is $says'),
  'spec.controlPlane.memoryMiB': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.availability.target': inColumn(),
  'spec.availability.kind': inColumn(),
  'spec.etcd.topology': notYet(UNAPPLIED, 'spec.etcd.topology ('),
  'spec.etcd.baseMiB': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.etcd.perNodeMiB': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.etcd.maxMiB': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.etcd.snapshots.interval': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.etcd.snapshots.keep': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.maxNodes': acts(
    'packages/controllers/src/behaviour/shapes.test.ts',
    'is held where writes have passed admission: the oldest pool first, and the rest when there is room',
  ),
  'spec.maxPodsPerNode': acts(SPEC_FIELDS, 'a node is installed as plan, release and machine say'),
  'spec.maxClusters': acts(
    'packages/controllers/src/behaviour/limits.test.ts',
    'is held by those of five that claim it first, and another follows when one goes',
  ),
  'spec.cni.default': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.cni.allowed': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.kubeProxy.default': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.kubeProxy.allowed': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.network.podCIDR': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.network.serviceCIDR': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.network.nodesCIDR': acts(SPEC_FIELDS, "the nodes' range is the cluster's, else the plan's"),
  'spec.network.customCIDRs': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.network.reservedCIDRs': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.network.gatewayRequired': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.allowed.flavors': acts(ALLOWANCE, MORE_NODES),
  'spec.allowed.images': acts(ALLOWANCE, MORE_NODES),
  'spec.allowed.regions': acts(ALLOWANCE, 'keeps a cluster out of $what that it does not have'),
  'spec.allowed.networks': acts(ALLOWANCE, 'keeps a cluster out of $what that it does not have'),
  'spec.allowed.upgradeStrategies': acts(
    'packages/api/src/admission/plan-allowance.test.ts',
    'refuses a pool $field: $says',
  ),
  'spec.allowed.healingStrategies': acts(
    'packages/api/src/admission/plan-allowance.test.ts',
    'refuses a pool $field: $says',
  ),
  'spec.allowed.kubeletSettings': acts(ALLOWANCE, 'makes no nodes of a pool with $what beyond it'),
  'spec.allowed.unsafeSysctls': acts(ALLOWANCE, 'makes no nodes of a pool with $what beyond it'),
  'spec.allowed.registryMirrors': acts(ALLOWANCE, 'makes no nodes of a cluster with $what beyond it'),
  'spec.allowed.proxy': acts(ALLOWANCE, 'makes no nodes of a cluster with $what beyond it'),
  'spec.allowed.antiAffinityPolicies': acts(ALLOWANCE, 'makes no nodes of a pool with $what beyond it'),
  'spec.maxDrainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'pool $pool, plan $plan, at most $most: $ms ms',
  ),
  'spec.nodePools.allowInCluster': acts(
    'packages/controllers/src/behaviour/in-cluster-removal.test.ts',
    'a plan that allows none takes the kind away, and leaves the pools',
  ),
  'spec.nodePools.maxServerTags': acts(ALLOWANCE, 'makes no nodes of a pool with $what beyond it'),
  'spec.nodePools.maxServerMetadata': acts(ALLOWANCE, 'makes no nodes of a pool with $what beyond it'),
  'spec.nodePools.maxSecurityGroups': acts(ALLOWANCE, 'makes no nodes of a pool with $what beyond it'),
  'spec.nodePools.maxNetworks': acts(
    'packages/controllers/src/behaviour/further-networks.test.ts',
    'a plan with $what has no more nodes made in them',
  ),
  'spec.storage.classes[].name': acts(STORAGE_CLASSES, OF_THE_PLAN),
  'spec.storage.classes[].volumeType': acts(STORAGE_CLASSES, OF_THE_PLAN),
  'spec.storage.classes[].optional': acts(
    STORAGE_CLASSES,
    'that are optional are left out where the cloud lacks their types, and told, and the default is another one',
  ),
  'spec.storage.classes[].default': acts(STORAGE_CLASSES, OF_THE_PLAN),
  'spec.storage.classes[].reclaimPolicy': acts(STORAGE_CLASSES, OF_THE_PLAN),
  'spec.storage.classes[].volumeBindingMode': acts(STORAGE_CLASSES, OF_THE_PLAN),
  'spec.storage.classes[].allowVolumeExpansion': acts(STORAGE_CLASSES, OF_THE_PLAN),
  'spec.storage.classes[].fsType': acts(STORAGE_CLASSES, OF_THE_PLAN),
  'spec.storage.accessModes': acts(STORAGE_CLASSES, POLICY),
  'spec.storage.tenantClasses': acts(STORAGE_CLASSES, POLICY),
  'spec.upgradeStrategy': acts(
    'packages/controllers/src/behaviour/upgrade.test.ts',
    'is done as the plan says where the pool says nothing',
  ),
  'spec.drainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'pool $pool, plan $plan, at most $most: $ms ms',
  ),
  'spec.healing.strategy': acts(
    'packages/controllers/src/behaviour/healing.test.ts',
    'is $repaired where the $who says so',
  ),
  'spec.healing.notReadyTimeout': acts(
    'packages/controllers/src/behaviour/healing.test.ts',
    'is replaced when the $who says so',
  ),
  'spec.healing.nodeStartupTimeout': acts(
    'packages/controllers/src/behaviour/startup.test.ts',
    'is told when the $who says so',
  ),
};
