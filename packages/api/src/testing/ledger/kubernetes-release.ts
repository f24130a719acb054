import { acts, type FieldLedger, inColumn } from './entry.ts';

const PHASE = 'packages/api/src/domain/release-phase.test.ts';
const PHASE_BY_DATE = 'is $phase at $now, until $next';
const VERSION_CHOICE = 'packages/controllers/src/cluster/version-choice.test.ts';
const PROBLEMS = 'packages/api/src/domain/release-problems.test.ts';
const NOT_READY = 'reports a release that is not ready: $problem';
const FORCED_UPGRADE = 'packages/api/src/domain/forced-upgrade.test.ts';
const PLANNED_TIME = 'is $time: $reason';
const EXEMPT = 'is undefined for exempt clusters: $exempt';
const ROLLOUT = 'packages/controllers/src/offer/rollout.test.ts';

export const KUBERNETES_RELEASE_FIELDS: FieldLedger = {
  'spec.minor': acts(PROBLEMS, NOT_READY),
  'spec.phaseOverride': acts(PHASE, 'follows an override regardless of the date'),
  'spec.released': acts(PHASE, PHASE_BY_DATE),
  'spec.maintenanceMode': acts(PHASE, PHASE_BY_DATE),
  'spec.endOfLife': acts(PHASE, PHASE_BY_DATE),
  'spec.source': inColumn(),
  'spec.patches[].version': acts(PROBLEMS, NOT_READY),
  'spec.patches[].released': acts(PROBLEMS, NOT_READY),
  'spec.patches[].withdrawn': acts(
    VERSION_CHOICE,
    'reverts to the previous patch if the new one is withdrawn before it ran',
  ),
  'spec.patches[].components': acts(
    'packages/api/src/domain/release-components.test.ts',
    'prefers the components of a patch to those of its minor version',
  ),
  'spec.components': acts(
    'packages/api/src/domain/release-components.test.ts',
    'uses the component versions of the release',
  ),
  'spec.rollout.maxConcurrent': acts(ROLLOUT, 'is $moving for $count clusters: $reason'),
  'spec.rollout.maxPercent': acts(ROLLOUT, 'is $moving for $count clusters: $reason'),
  'spec.rollout.canarySelector.matchLabels': acts(ROLLOUT, 'start first, and all others wait until they are ready'),
  'spec.rollout.maxFailures': acts(
    ROLLOUT,
    'are reported with the cluster’s message, and stop the rollout at the limit',
  ),
  'spec.rollout.timeout': acts(ROLLOUT, 'are counted only after the operator’s timeout'),
  'spec.rollout.paused': acts(ROLLOUT, 'a paused rollout starts no clusters, and completes those in progress'),
  'spec.forcedUpgrade.gracePeriod': acts(FORCED_UPGRADE, PLANNED_TIME),
  'spec.forcedUpgrade.notice': acts(FORCED_UPGRADE, PLANNED_TIME),
  'spec.forcedUpgrade.exempt[].namespace': acts(FORCED_UPGRADE, EXEMPT),
  'spec.forcedUpgrade.exempt[].name': acts(FORCED_UPGRADE, EXEMPT),
};
