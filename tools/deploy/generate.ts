import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deployFiles } from './render.ts';

// Writes deploy/, the plain manifests and the Helm chart: npm run generate:deploy
const deploy = join(import.meta.dirname, '../../deploy');
rmSync(join(deploy, 'helm'), { recursive: true, force: true });
rmSync(join(deploy, 'manifests'), { recursive: true, force: true });
for (const [path, text] of Object.entries(deployFiles())) {
  mkdirSync(dirname(join(deploy, path)), { recursive: true });
  writeFileSync(join(deploy, path), text);
}
