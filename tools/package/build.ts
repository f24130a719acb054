import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENTRIES, packageFiles } from './contents.ts';
import { packedModules } from './modules.ts';

// Writes dist/, which npm packs: npm run build
const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
const modules = packedModules(root, ENTRIES);
for (const { path, text } of modules) {
  mkdirSync(join(dist, dirname(path)), { recursive: true });
  writeFileSync(join(dist, path), text);
}
const files = packageFiles(root);
for (const file of files) cpSync(join(root, file), join(dist, file));
process.stdout.write(`dist: ${modules.length} modules, ${files.length} other files\n`);
