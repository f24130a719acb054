import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderComparison } from '@fairway/controllers/autoscaling/testing/render-comparison';
import { SITUATIONS } from '@fairway/controllers/autoscaling/testing/situations';
import { UPSTREAM_DECISIONS } from '@fairway/controllers/autoscaling/testing/upstream-decisions';

// Writes docs/tenants/autoscaling-compared.md from the scenarios and the decisions made in them: npm run
// generate:autoscaling
writeFileSync(
  join(import.meta.dirname, '../docs/tenants/autoscaling-compared.md'),
  renderComparison(SITUATIONS, UPSTREAM_DECISIONS),
);
