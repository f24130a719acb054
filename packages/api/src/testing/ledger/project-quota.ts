import { acts, type FieldLedger } from './entry.ts';

const QUOTA_ENFORCEMENT_TEST = 'packages/controllers/src/behaviour/project-quota.test.ts';

export const PROJECT_QUOTA_FIELDS: FieldLedger = {
  'spec.clusters': acts(
    QUOTA_ENFORCEMENT_TEST,
    'admits the clusters that claim it first if several are created at once',
  ),
  'spec.nodes': acts(QUOTA_ENFORCEMENT_TEST, 'pools of all clusters share $limit, the oldest first'),
  'spec.cores': acts(QUOTA_ENFORCEMENT_TEST, 'pools of all clusters share $limit, the oldest first'),
};
