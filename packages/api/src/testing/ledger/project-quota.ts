import { acts, type FieldLedger } from './entry.ts';

const HELD = 'packages/controllers/src/behaviour/project-quota.test.ts';

export const PROJECT_QUOTA_FIELDS: FieldLedger = {
  'spec.clusters': acts(HELD, 'clusters that came at once are held by those that claim it first'),
  'spec.nodes': acts(HELD, 'pools of all clusters share $limit, the oldest first'),
  'spec.cores': acts(HELD, 'pools of all clusters share $limit, the oldest first'),
};
