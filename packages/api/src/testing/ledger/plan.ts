import { acts, type FieldLedger, inColumn, informs, notYet } from './entry.ts';

/** The test has one row per field. */
const UNAPPLIED_FIELDS_TEST = 'packages/controllers/src/behaviour/unapplied-fields.test.ts';

const ALLOWANCE_TEST = 'packages/controllers/src/behaviour/plan-allowance.test.ts';
const MORE_NODES_TITLE = 'creates no more nodes with a removed $what, and keeps existing nodes';

const SPEC_FIELDS_TEST = 'packages/controllers/src/behaviour/spec-fields.test.ts';
const ADMISSION_TEST = 'packages/api/src/admission/admission.test.ts';

const STORAGE_CLASSES_TEST = 'packages/controllers/src/behaviour/storage-classes.test.ts';
const PLAN_FIELD_TITLE = 'have the plan’s $field';
const POLICY_TITLE = 'the policy of a cluster exists as long as the plan has limits';

const SERVICE_RULES_TEST = 'packages/addons/src/limits/service-rules.test.ts';
const SERVICE_RULES_TITLE = 'with $reason are accepted or refused: $expectedMessage';

const NOTES_TEST = 'packages/api/src/limits/notes.test.ts';
const NOTES_TITLE = 'refuses $refused, warns $warned: $reason';
const VERSION_WINDOW_TEST = 'packages/api/src/limits/version-window.test.ts';

export const PLAN_FIELDS: FieldLedger = {
  'spec.displayName': inColumn(),
  'spec.description': inColumn(),
  'spec.service': informs('packages/api/src/limits/catalogue.test.ts', 'a plan belongs to its service'),
  'spec.controlPlane.topology': acts(UNAPPLIED_FIELDS_TEST, '$replicas in $topology with $spread: $expectedMessage'),
  'spec.controlPlane.replicas': acts(UNAPPLIED_FIELDS_TEST, '$replicas in $topology with $spread: $expectedMessage'),
  'spec.controlPlane.memoryMiB': acts(SPEC_FIELDS_TEST, '$field of a plan'),
  'spec.availability.target': inColumn(),
  'spec.availability.kind': inColumn(),
  'spec.etcd.topology': notYet(UNAPPLIED_FIELDS_TEST, 'spec.etcd.topology ('),
  'spec.etcd.baseMiB': acts(SPEC_FIELDS_TEST, '$field of a plan'),
  'spec.etcd.perNodeMiB': acts(SPEC_FIELDS_TEST, '$field of a plan'),
  'spec.etcd.maxMiB': acts(SPEC_FIELDS_TEST, '$field of a plan'),
  'spec.etcd.snapshots.interval': acts(SPEC_FIELDS_TEST, '$field of a plan'),
  'spec.etcd.snapshots.keep': acts(SPEC_FIELDS_TEST, '$field of a plan'),
  'spec.limitsFrom': acts('packages/api/src/limits/copied-limits.test.ts', '$problem: $reason'),
  'spec.kubernetes.oldest': acts(VERSION_WINDOW_TEST, 'with $kubernetes, $version: $expectedProblem'),
  'spec.kubernetes.newest': acts(VERSION_WINDOW_TEST, 'with $kubernetes, $version: $expectedProblem'),
  'spec.limitNotes[].limit': acts(NOTES_TEST, NOTES_TITLE),
  'spec.limitNotes[].value': acts(NOTES_TEST, NOTES_TITLE),
  'spec.limitNotes[].enforcement': acts(NOTES_TEST, NOTES_TITLE),
  'spec.limitNotes[].since': acts(NOTES_TEST, NOTES_TITLE),
  'spec.limitNotes[].until': acts(NOTES_TEST, NOTES_TITLE),
  'spec.limitNotes[].reason': acts(NOTES_TEST, NOTES_TITLE),
  'spec.limitNotes[].alternative': acts(NOTES_TEST, NOTES_TITLE),
  'spec.limitNotes[].link': acts(NOTES_TEST, NOTES_TITLE),
  'spec.limitPolicies': acts(
    'packages/controllers/src/behaviour/limit-policy-file.test.ts',
    'are objects until the API server enforces the file, and then only in the file',
  ),
  'spec.maxNodes': acts(
    'packages/controllers/src/behaviour/shapes.test.ts',
    'apply to writes that have passed admission: the oldest pool first, the others when there is room',
  ),
  'spec.maxPodsPerNode': acts(SPEC_FIELDS_TEST, 'a node is installed according to plan, release and machine'),
  'spec.maxClusters': acts(
    'packages/controllers/src/behaviour/limits.test.ts',
    'admits the first of five clusters to claim it, and another when one is deleted',
  ),
  'spec.cni.default': acts(ADMISSION_TEST, 'refuses %j at %s: %s'),
  'spec.cni.allowed': acts(ADMISSION_TEST, 'refuses %j at %s: %s'),
  'spec.kubeProxy.default': acts(ADMISSION_TEST, 'refuses %j at %s: %s'),
  'spec.kubeProxy.allowed': acts(ADMISSION_TEST, 'refuses %j at %s: %s'),
  'spec.network.podCIDR': acts(SPEC_FIELDS_TEST, '$field of a plan'),
  'spec.network.serviceCIDR': acts(SPEC_FIELDS_TEST, '$field of a plan'),
  'spec.network.nodesCIDR': acts(SPEC_FIELDS_TEST, "the nodes' range is the cluster's, or otherwise the plan's"),
  'spec.network.customCIDRs': acts(ADMISSION_TEST, 'refuses %j at %s: %s'),
  'spec.network.reservedCIDRs': acts(ADMISSION_TEST, 'refuses %j at %s: %s'),
  'spec.network.ipFamilies': acts(
    'packages/api/src/domain/plan-problems.test.ts',
    'reports a plan that is not ready: $problem',
  ),
  'spec.network.gatewayRequired': acts(ADMISSION_TEST, 'refuses %j at %s: %s'),
  'spec.allowed.flavors': acts(ALLOWANCE_TEST, MORE_NODES_TITLE),
  'spec.allowed.images': acts(ALLOWANCE_TEST, MORE_NODES_TITLE),
  'spec.allowed.regions': acts(ALLOWANCE_TEST, 'blocks a cluster with $what that the plan does not allow'),
  'spec.allowed.networks': acts(ALLOWANCE_TEST, 'blocks a cluster with $what that the plan does not allow'),
  'spec.allowed.features': acts('packages/api/src/limits/features.test.ts', '$value at $field'),
  'spec.allowed.upgradeStrategies': acts(
    'packages/api/src/admission/plan-allowance.test.ts',
    'refuses a pool at $field: $expectedMessage',
  ),
  'spec.allowed.healingStrategies': acts(
    'packages/api/src/admission/plan-allowance.test.ts',
    'refuses a pool at $field: $expectedMessage',
  ),
  'spec.allowed.kubeletSettings': acts(ALLOWANCE_TEST, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.allowed.unsafeSysctls': acts(ALLOWANCE_TEST, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.allowed.registryMirrors': acts(ALLOWANCE_TEST, 'creates no nodes of a cluster with $what beyond its limits'),
  'spec.allowed.proxy': acts(ALLOWANCE_TEST, 'creates no nodes of a cluster with $what beyond its limits'),
  'spec.allowed.antiAffinityPolicies': acts(ALLOWANCE_TEST, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.maxDrainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'is $ms ms with pool $pool, plan $plan and maximum $most',
  ),
  'spec.nodePools.allowInCluster': acts(
    'packages/controllers/src/behaviour/in-cluster-removal.test.ts',
    'is removed if the plan forbids in-cluster pools, while the pools remain',
  ),
  'spec.nodePools.maxServerTags': acts(ALLOWANCE_TEST, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.nodePools.maxServerMetadata': acts(ALLOWANCE_TEST, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.nodePools.maxSecurityGroups': acts(ALLOWANCE_TEST, 'creates no nodes of a pool with $what beyond its limits'),
  'spec.nodePools.maxNetworks': acts(
    'packages/controllers/src/behaviour/additional-networks.test.ts',
    'prevent more nodes if the plan allows $what',
  ),
  'spec.storage.classes[].name': acts(STORAGE_CLASSES_TEST, PLAN_FIELD_TITLE),
  'spec.storage.classes[].volumeType': acts(STORAGE_CLASSES_TEST, PLAN_FIELD_TITLE),
  'spec.storage.classes[].optional': acts(
    STORAGE_CLASSES_TEST,
    'omit optional classes whose types the cloud lacks, report this, and use another default',
  ),
  'spec.storage.classes[].default': acts(STORAGE_CLASSES_TEST, PLAN_FIELD_TITLE),
  'spec.storage.classes[].reclaimPolicy': acts(STORAGE_CLASSES_TEST, PLAN_FIELD_TITLE),
  'spec.storage.classes[].volumeBindingMode': acts(STORAGE_CLASSES_TEST, PLAN_FIELD_TITLE),
  'spec.storage.classes[].allowVolumeExpansion': acts(STORAGE_CLASSES_TEST, PLAN_FIELD_TITLE),
  'spec.storage.classes[].fsType': acts(STORAGE_CLASSES_TEST, PLAN_FIELD_TITLE),
  'spec.storage.accessModes': acts(STORAGE_CLASSES_TEST, POLICY_TITLE),
  'spec.storage.tenantClasses': acts(STORAGE_CLASSES_TEST, POLICY_TITLE),
  'spec.services.types': acts(SERVICE_RULES_TEST, SERVICE_RULES_TITLE),
  'spec.services.ipFamilies': acts(SERVICE_RULES_TEST, SERVICE_RULES_TITLE),
  'spec.services.refusedAnnotations[].key': acts(SERVICE_RULES_TEST, SERVICE_RULES_TITLE),
  'spec.services.refusedAnnotations[].values': acts(SERVICE_RULES_TEST, SERVICE_RULES_TITLE),
  'spec.services.loadBalancerProviders': acts(SERVICE_RULES_TEST, SERVICE_RULES_TITLE),
  'spec.upgradeStrategy': acts(
    'packages/controllers/src/behaviour/upgrade.test.ts',
    'follows the plan if the pool specifies nothing',
  ),
  'spec.drainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'is $ms ms with pool $pool, plan $plan and maximum $most',
  ),
  'spec.healing.strategy': acts(
    'packages/controllers/src/behaviour/healing.test.ts',
    'is $repaired according to the $who’s strategy',
  ),
  'spec.healing.notReadyTimeout': acts(
    'packages/controllers/src/behaviour/healing.test.ts',
    'is replaced after the $who’s timeout',
  ),
  'spec.healing.nodeStartupTimeout': acts(
    'packages/controllers/src/behaviour/startup.test.ts',
    'is reported after the $who’s timeout',
  ),
};
