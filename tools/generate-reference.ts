import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderReferencePages } from './reference/render.ts';

// Writes docs/reference from the schemas of Fairway's kinds: npm run generate:reference
const folder = join(import.meta.dirname, '../docs/reference');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [file, text] of renderReferencePages()) writeFileSync(join(folder, file), text);
