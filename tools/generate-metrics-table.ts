import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { metricDefinitions, withTable } from './metrics.ts';

/** Writes the table of metrics into docs/operators/metrics.md: `npm run generate:metrics`. */
const path = join(import.meta.dirname, '../docs/operators/metrics.md');
writeFileSync(path, withTable(readFileSync(path, 'utf8'), metricDefinitions()));
