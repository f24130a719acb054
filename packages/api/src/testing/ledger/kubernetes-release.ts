import { type FieldLedger, unproven } from './entry.ts';

export const KUBERNETES_RELEASE_FIELDS: FieldLedger = {
  'spec.minor': unproven('acts'),
  'spec.phase': unproven('acts'),
  'spec.released': unproven('informs'),
  'spec.maintenanceMode': unproven('informs'),
  'spec.endOfLife': unproven('informs'),
  'spec.source': unproven('informs'),
  'spec.patches[].version': unproven('acts'),
  'spec.patches[].released': unproven('informs'),
  'spec.patches[].withdrawn': unproven('acts'),
  'spec.patches[].components': unproven('acts'),
  'spec.components': unproven('acts'),
};
