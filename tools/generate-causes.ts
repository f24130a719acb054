import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CAUSES } from '@fairway/controllers/testing/causes/all';
import { renderCauses } from '@fairway/controllers/testing/causes/render';
import { renderTroubleshooting } from '@fairway/controllers/testing/causes/render-troubleshooting';

// Writes docs/operators/causes.md and docs/troubleshooting.md from the table of causes: npm run generate:causes
const docs = join(import.meta.dirname, '../docs');
writeFileSync(join(docs, 'operators/causes.md'), renderCauses(CAUSES));
writeFileSync(join(docs, 'troubleshooting.md'), renderTroubleshooting(CAUSES));
