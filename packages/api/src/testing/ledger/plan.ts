import { acts, type FieldLedger, inColumn, notYet } from './entry.ts';

/** The test has a row for each field. */
const UNAPPLIED = 'packages/controllers/src/behaviour/unapplied-fields.test.ts';

const ALLOWANCE = 'packages/controllers/src/behaviour/plan-allowance.test.ts';
const MORE_NODES = 'creates no more nodes of a removed $what, and keeps existing ones';

const SPEC_FIELDS = 'packages/controllers/src/behaviour/spec-fields.test.ts';
const ADMISSION = 'packages/api/src/admission/admission.test.ts';

const STORAGE_CLASSES = 'packages/controllers/src/behaviour/storage-classes.test.ts';
const PLAN_FIELD_TITLE = 'have the plan’s $field';
const POLICY = 'the policy of a cluster exists as long as the plan has limits';

export const PLAN_FIELDS: FieldLedger = {
  'spec.displayName': inColumn(),
  'spec.description': inColumn(),
  'spec.controlPlane.topology': acts(UNAPPLIED, '$replicas in $topology with $spread: $says'),
  'spec.controlPlane.replicas': acts(UNAPPLIED, '$replicas in $topology with $spread: $says'),
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
    'apply to writes that have passed admission: the oldest pool first, the rest when there is room',
  ),
  'spec.maxPodsPerNode': acts(SPEC_FIELDS, 'a node is installed according to plan, release and machine'),
  'spec.maxClusters': acts(
    'packages/controllers/src/behaviour/limits.test.ts',
    'admits the first of five clusters to claim it, and another when one is deleted',
  ),
  'spec.cni.default': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.cni.allowed': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.kubeProxy.default': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.kubeProxy.allowed': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.network.podCIDR': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.network.serviceCIDR': acts(SPEC_FIELDS, '$field of a plan'),
  'spec.network.nodesCIDR': acts(SPEC_FIELDS, "the nodes' range is the cluster's, or otherwise the plan's"),
  'spec.network.customCIDRs': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.network.reservedCIDRs': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.network.gatewayRequired': acts(ADMISSION, 'refuses %j at %s: %s'),
  'spec.allowed.flavors': acts(ALLOWANCE, MORE_NODES),
  'spec.allowed.images': acts(ALLOWANCE, MORE_NODES),
  'spec.allowed.regions': acts(ALLOWANCE, 'blocks a cluster with $what that it does not contain'),
  'spec.allowed.networks': acts(ALLOWANCE, 'blocks a cluster with $what that it does not contain'),
  'spec.allowed.upgradeStrategies': acts(
    'packages/api/src/admission/plan-allowance.test.ts',
    'refuses a pool $field: $says',
  ),
  'spec.allowed.healingStrategies': acts(
    'packages/api/src/admission/plan-allowance.test.ts',
    'refuses a pool $field: $says',
  ),
  'spec.allowed.kubeletSettings': acts(ALLOWANCE, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.allowed.unsafeSysctls': acts(ALLOWANCE, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.allowed.registryMirrors': acts(ALLOWANCE, 'creates no nodes of a cluster with $what beyond its limits'),
  'spec.allowed.proxy': acts(ALLOWANCE, 'creates no nodes of a cluster with $what beyond its limits'),
  'spec.allowed.antiAffinityPolicies': acts(ALLOWANCE, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.maxDrainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'takes $ms ms with pool $pool, plan $plan and maximum $most',
  ),
  'spec.nodePools.allowInCluster': acts(
    'packages/controllers/src/behaviour/in-cluster-removal.test.ts',
    'is removed if the plan forbids in-cluster pools, while the pools remain',
  ),
  'spec.nodePools.maxServerTags': acts(ALLOWANCE, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.nodePools.maxServerMetadata': acts(ALLOWANCE, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.nodePools.maxSecurityGroups': acts(ALLOWANCE, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.nodePools.maxNetworks': acts(
    'packages/controllers/src/behaviour/additional-networks.test.ts',
    'create no more nodes if the plan allows $what',
  ),
  'spec.storage.classes[].name': acts(STORAGE_CLASSES, PLAN_FIELD_TITLE),
  'spec.storage.classes[].volumeType': acts(STORAGE_CLASSES, PLAN_FIELD_TITLE),
  'spec.storage.classes[].optional': acts(
    STORAGE_CLASSES,
    'omit optional ones whose types the cloud lacks, report that, and have another default',
  ),
  'spec.storage.classes[].default': acts(STORAGE_CLASSES, PLAN_FIELD_TITLE),
  'spec.storage.classes[].reclaimPolicy': acts(STORAGE_CLASSES, PLAN_FIELD_TITLE),
  'spec.storage.classes[].volumeBindingMode': acts(STORAGE_CLASSES, PLAN_FIELD_TITLE),
  'spec.storage.classes[].allowVolumeExpansion': acts(STORAGE_CLASSES, PLAN_FIELD_TITLE),
  'spec.storage.classes[].fsType': acts(STORAGE_CLASSES, PLAN_FIELD_TITLE),
  'spec.storage.accessModes': acts(STORAGE_CLASSES, POLICY),
  'spec.storage.tenantClasses': acts(STORAGE_CLASSES, POLICY),
  'spec.upgradeStrategy': acts(
    'packages/controllers/src/behaviour/upgrade.test.ts',
    'follows the plan if the pool specifies nothing',
  ),
  'spec.drainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'takes $ms ms with pool $pool, plan $plan and maximum $most',
  ),
  'spec.healing.strategy': acts(
    'packages/controllers/src/behaviour/healing.test.ts',
    'is $repaired if the $who says so',
  ),
  'spec.healing.notReadyTimeout': acts(
    'packages/controllers/src/behaviour/healing.test.ts',
    'is replaced if the $who says so',
  ),
  'spec.healing.nodeStartupTimeout': acts(
    'packages/controllers/src/behaviour/startup.test.ts',
    'is reported after the timeout of the $who',
  ),
};
