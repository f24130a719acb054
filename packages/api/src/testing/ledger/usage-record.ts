import { acts, type FieldLedger, inColumn } from './entry.ts';

/** Fairway writes the spec itself: it identifies the cluster to which the intervals in the status belong. */
export const USAGE_RECORD_FIELDS: FieldLedger = {
  'spec.clusterName': inColumn(),
  'spec.clusterUID': inColumn(),
  'spec.namespace': acts(
    'packages/api/src/domain/usage/report.test.ts',
    'adds up by $by, including records of deleted clusters',
  ),
};
