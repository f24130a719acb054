import { acts, type FieldLedger, notYet, unproven } from './entry.ts';

/** Each field is a row of its tables. */
const UNAPPLIED = 'packages/controllers/src/behaviour/unapplied-fields.test.ts';

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
  'spec.upgradeStrategy': notYet(UNAPPLIED, 'spec.upgradeStrategy ('),
  'spec.drainTimeout': unproven('acts'),
  'spec.healing.strategy': notYet(UNAPPLIED, 'spec.healing.strategy ('),
  'spec.healing.notReadyTimeout': notYet(UNAPPLIED, 'spec.healing.notReadyTimeout ('),
  'spec.healing.nodeStartupTimeout': acts(
    'packages/controllers/src/behaviour/startup.test.ts',
    'is told when the $who says so',
  ),
};
