import { acts, type FieldLedger, inColumn } from './entry.ts';

const RELEASE_PHASE_TEST = 'packages/api/src/domain/release-phase.test.ts';
const PHASE_TITLE = 'a release is $phase at $now, until $next';
const VERSION_CHOICE_TEST = 'packages/controllers/src/cluster/version-choice.test.ts';
const RELEASE_PROBLEMS_TEST = 'packages/api/src/domain/release-problems.test.ts';
const NOT_READY_TITLE = 'reports a release that is not ready: $problem';
const FORCED_UPGRADE_TEST = 'packages/api/src/domain/forced-upgrade.test.ts';
const PLANNED_TIME_TITLE = 'is $time: $reason';
const EXEMPT_TITLE = 'is undefined only for exempt clusters: $exempt';
const ROLLOUT_TEST = 'packages/controllers/src/offer/rollout.test.ts';

export const KUBERNETES_RELEASE_FIELDS: FieldLedger = {
  'spec.minor': acts(RELEASE_PROBLEMS_TEST, NOT_READY_TITLE),
  'spec.phaseOverride': acts(RELEASE_PHASE_TEST, 'the phase follows an override regardless of the date'),
  'spec.released': acts(RELEASE_PHASE_TEST, PHASE_TITLE),
  'spec.maintenanceMode': acts(RELEASE_PHASE_TEST, PHASE_TITLE),
  'spec.endOfLife': acts(RELEASE_PHASE_TEST, PHASE_TITLE),
  'spec.source': inColumn(),
  'spec.patches[].version': acts(RELEASE_PROBLEMS_TEST, NOT_READY_TITLE),
  'spec.patches[].released': acts(RELEASE_PROBLEMS_TEST, NOT_READY_TITLE),
  'spec.patches[].withdrawn': acts(
    VERSION_CHOICE_TEST,
    'reverts to the previous patch if the new one is withdrawn before it has run',
  ),
  'spec.patches[].components': acts(
    'packages/api/src/domain/release-components.test.ts',
    'prefers the components of a patch to those of its minor version',
  ),
  'spec.components': acts(
    'packages/api/src/domain/release-components.test.ts',
    'uses the component versions of the release',
  ),
  'spec.rollout.maxConcurrent': acts(ROLLOUT_TEST, 'is $moving for $count clusters: $reason'),
  'spec.rollout.maxPercent': acts(ROLLOUT_TEST, 'is $moving for $count clusters: $reason'),
  'spec.rollout.canarySelector.matchLabels': acts(
    ROLLOUT_TEST,
    'start first, and all others wait until they are ready',
  ),
  'spec.rollout.maxFailures': acts(
    ROLLOUT_TEST,
    'are reported with the cluster’s message, and stop the rollout at the limit',
  ),
  'spec.rollout.timeout': acts(ROLLOUT_TEST, 'are counted only after the operator’s timeout'),
  'spec.rollout.paused': acts(
    ROLLOUT_TEST,
    'a paused rollout does not start clusters, and completes those in progress',
  ),
  'spec.forcedUpgrade.gracePeriod': acts(FORCED_UPGRADE_TEST, PLANNED_TIME_TITLE),
  'spec.forcedUpgrade.notice': acts(FORCED_UPGRADE_TEST, PLANNED_TIME_TITLE),
  'spec.forcedUpgrade.exempt[].namespace': acts(FORCED_UPGRADE_TEST, EXEMPT_TITLE),
  'spec.forcedUpgrade.exempt[].name': acts(FORCED_UPGRADE_TEST, EXEMPT_TITLE),
};
