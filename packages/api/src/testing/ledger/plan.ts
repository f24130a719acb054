import { acts, type FieldLedger, notYet, unproven } from './entry.ts';

/** Each field is a row of its tables. */
const UNAPPLIED = 'packages/controllers/src/behaviour/unapplied-fields.test.ts';

const ALLOWANCE = 'packages/controllers/src/behaviour/plan-allowance.test.ts';
const MORE_NODES =
  'makes no more nodes of a $what that is no longer in it, keeps those that are there, and lets them go';

export const PLAN_FIELDS: FieldLedger = {
  'spec.displayName': unproven('informs'),
  'spec.description': unproven('informs'),
  'spec.controlPlane.topology': acts(UNAPPLIED, '$replicas in $topology with $spread is $says'),
  'spec.controlPlane.replicas': acts(UNAPPLIED, '$replicas in $topology with $spread is $says'),
  'spec.controlPlane.memoryMiB': unproven('acts'),
  'spec.availability.target': unproven('informs'),
  'spec.availability.kind': unproven('informs'),
  'spec.etcd.topology': notYet(UNAPPLIED, 'spec.etcd.topology ('),
  'spec.etcd.baseMiB': unproven('acts'),
  'spec.etcd.perNodeMiB': unproven('acts'),
  'spec.etcd.maxMiB': unproven('acts'),
  'spec.etcd.snapshots.interval': unproven('acts'),
  'spec.etcd.snapshots.keep': unproven('acts'),
  'spec.maxNodes': acts(
    'packages/controllers/src/behaviour/shapes.test.ts',
    'is held where writes have passed admission: the oldest pool first, and the rest when there is room',
  ),
  'spec.maxPodsPerNode': unproven('acts'),
  'spec.maxClusters': acts(
    'packages/controllers/src/behaviour/limits.test.ts',
    'is held by those of five that claim it first, and another follows when one goes',
  ),
  'spec.cni.default': unproven('acts'),
  'spec.cni.allowed': unproven('acts'),
  'spec.kubeProxy.default': unproven('acts'),
  'spec.kubeProxy.allowed': unproven('acts'),
  'spec.network.podCIDR': unproven('acts'),
  'spec.network.serviceCIDR': unproven('acts'),
  'spec.network.nodesCIDR': unproven('acts'),
  'spec.network.customCIDRs': unproven('acts'),
  'spec.network.reservedCIDRs': unproven('acts'),
  'spec.network.gatewayRequired': unproven('acts'),
  'spec.allowed.flavors': acts(ALLOWANCE, MORE_NODES),
  'spec.allowed.images': acts(ALLOWANCE, MORE_NODES),
  'spec.allowed.regions': acts(ALLOWANCE, 'keeps a cluster out of $what that it does not have'),
  'spec.allowed.networks': acts(ALLOWANCE, 'keeps a cluster out of $what that it does not have'),
  'spec.allowed.upgradeStrategies': acts(
    'packages/api/src/admission/plan-allowance.test.ts',
    'refuses a pool $field: $says',
  ),
  'spec.maxDrainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'pool $pool, plan $plan, at most $most: $ms ms',
  ),
  'spec.upgradeStrategy': notYet(UNAPPLIED, 'spec.upgradeStrategy ('),
  'spec.drainTimeout': acts(
    'packages/api/src/domain/drain-timeout.test.ts',
    'pool $pool, plan $plan, at most $most: $ms ms',
  ),
  'spec.healing.strategy': notYet(UNAPPLIED, 'spec.healing.strategy ('),
  'spec.healing.notReadyTimeout': notYet(UNAPPLIED, 'spec.healing.notReadyTimeout ('),
  'spec.healing.nodeStartupTimeout': acts(
    'packages/controllers/src/behaviour/startup.test.ts',
    'is told when the $who says so',
  ),
};
