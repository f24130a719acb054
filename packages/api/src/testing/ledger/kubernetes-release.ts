import { acts, type FieldLedger, inColumn } from './entry.ts';

const PHASE = 'packages/api/src/domain/release-phase.test.ts';
const BY_DATE = 'at $now it is $phase, until $next';
const CHOICE = 'packages/controllers/src/cluster/version-choice.test.ts';
const PROBLEMS = 'packages/api/src/domain/release-problems.test.ts';
const NOT_READY = 'a release is not ready: $problem';
const FORCED = 'packages/api/src/domain/forced-upgrade.test.ts';
const TOLD = 'is $time: $reason';
const EXEMPT = 'is none for who is exempt: $exempt';
const ROLLOUT = 'packages/controllers/src/offer/rollout.test.ts';

export const KUBERNETES_RELEASE_FIELDS: FieldLedger = {
  'spec.minor': acts(PROBLEMS, NOT_READY),
  'spec.phaseOverride': acts(PHASE, 'an override holds whatever the date is'),
  'spec.released': acts(PHASE, BY_DATE),
  'spec.maintenanceMode': acts(PHASE, BY_DATE),
  'spec.endOfLife': acts(PHASE, BY_DATE),
  'spec.source': inColumn(),
  'spec.patches[].version': acts(PROBLEMS, NOT_READY),
  'spec.patches[].released': acts(PROBLEMS, NOT_READY),
  'spec.patches[].withdrawn': acts(CHOICE, 'turns back from one that has been withdrawn before it ran'),
  'spec.patches[].components': acts(
    'packages/api/src/domain/release-components.test.ts',
    'a patch may have other components than its minor version',
  ),
  'spec.components': acts('packages/api/src/domain/release-components.test.ts', 'nodes get what their release says'),
  'spec.rollout.maxConcurrent': acts(ROLLOUT, 'of $count clusters $moving: $reason'),
  'spec.rollout.maxPercent': acts(ROLLOUT, 'of $count clusters $moving: $reason'),
  'spec.rollout.canarySelector.matchLabels': acts(ROLLOUT, 'go first, and all others wait until they are ready'),
  'spec.rollout.maxFailures': acts(ROLLOUT, 'are told by what the cluster said, and stop the rollout at the limit'),
  'spec.rollout.timeout': acts(ROLLOUT, 'a cluster has as long as the operator says'),
  'spec.rollout.paused': acts(ROLLOUT, 'what is paused begins nothing, and ends what it began'),
  'spec.forcedUpgrade.gracePeriod': acts(FORCED, TOLD),
  'spec.forcedUpgrade.notice': acts(FORCED, TOLD),
  'spec.forcedUpgrade.exempt[].namespace': acts(FORCED, EXEMPT),
  'spec.forcedUpgrade.exempt[].name': acts(FORCED, EXEMPT),
};
