import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CAUSES } from '@fairway/controllers/testing/causes/all';
import { renderCauses } from '@fairway/controllers/testing/causes/render';

// Writes docs/operators/causes.md from the table of causes: npm run generate:causes
writeFileSync(join(import.meta.dirname, '../docs/operators/causes.md'), renderCauses(CAUSES));
