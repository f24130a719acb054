import { ADDON_CAUSES } from './addons.ts';
import type { Cause } from './cause.ts';
import { CLOUD_CAUSES } from './cloud.ts';
import { CONTROL_PLANE_CAUSES } from './control-planes.ts';
import { CREDENTIAL_CAUSES } from './credentials.ts';
import { DATABASE_CAUSES } from './databases.ts';
import { HEALING_CAUSES } from './healing.ts';
import { HIBERNATION_CAUSES } from './hibernation.ts';
import { NODE_CAUSES } from './nodes.ts';
import { PLAN_CAUSES } from './plans.ts';
import { QUOTA_CAUSES } from './quotas.ts';
import { REFERENCE_CAUSES } from './references.ts';
import { RESET_CAUSES } from './reset.ts';
import { ROOTS_CAUSES } from './roots.ts';
import { VERSION_CAUSES } from './versions.ts';

/** What people are told of each cause, in the order of docs/operators/causes.md. */
export const CAUSES: readonly Cause[] = [
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
  ...ROOTS_CAUSES,
  ...ADDON_CAUSES,
  ...RESET_CAUSES,
];
