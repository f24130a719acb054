import { actionRequiredBy } from '@fairway/api/conditions';
import { ADDON_CAUSES } from './addons.ts';
import { CA_CAUSES } from './ca.ts';
import type { Cause } from './cause.ts';
import { CLOUD_CAUSES } from './cloud.ts';
import { CONTROL_PLANE_CAUSES } from './control-planes.ts';
import { CREDENTIAL_CAUSES } from './credentials.ts';
import { DATABASE_CAUSES } from './databases.ts';
import { DELETION_CAUSES } from './deletions.ts';
import { HEALING_CAUSES } from './healing.ts';
import { HIBERNATION_CAUSES } from './hibernation.ts';
import { NODE_CAUSES } from './nodes.ts';
import { PLAN_CAUSES } from './plans.ts';
import { QUOTA_CAUSES } from './quotas.ts';
import { REFERENCE_CAUSES } from './references.ts';
import { RESET_CAUSES } from './reset.ts';
import { VERSION_CAUSES } from './versions.ts';

const ROWS: readonly Cause[] = [
  ...QUOTA_CAUSES,
  ...REFERENCE_CAUSES,
  ...PLAN_CAUSES,
  ...VERSION_CAUSES,
  ...CREDENTIAL_CAUSES,
  ...CLOUD_CAUSES,
  ...NODE_CAUSES,
  ...HEALING_CAUSES,
  ...CONTROL_PLANE_CAUSES,
  ...DATABASE_CAUSES,
  ...HIBERNATION_CAUSES,
  ...CA_CAUSES,
  ...ADDON_CAUSES,
  ...RESET_CAUSES,
  ...DELETION_CAUSES,
];

const SINCE = '; since {time}';
/** DrainHeld has its own message, and Hibernated is not a wait. */
const UNDATED_REASONS: ReadonlySet<string> = new Set(['DrainHeld', 'Hibernated']);

/** The reports about each cause, in the order of docs/operators/causes.md. */
export const CAUSES: readonly Cause[] = ROWS.map(withSince);

/**
 * Appends the time when the problem began to messages of causes that someone other than Fairway must resolve, in Ready
 * and in the Event that repeats it.
 */
function withSince(cause: Cause): Cause {
  const { kind, condition = 'Ready', reason, message, event } = cause;
  const isDated = kind === 'Cluster' || kind === 'NodePool' || kind === 'Machine';
  if (!isDated || condition !== 'Ready' || actionRequiredBy(reason) === 'fairway' || UNDATED_REASONS.has(reason))
    return cause;
  if (message.includes('; since ')) return cause;
  const isRepeated = event?.message === message && (event.kind === 'Cluster' || event.reason === 'NotReady');
  const withEvent = isRepeated ? { event: { ...event, message: `${message}${SINCE}` } } : {};
  return { ...cause, message: `${message}${SINCE}`, ...withEvent };
}
