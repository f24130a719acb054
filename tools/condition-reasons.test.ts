import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConditionReason } from '@fairway/api/conditions';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Files in which a reason does not count as set: tests, and advice on reasons that are set elsewhere. */
const EXCLUDED_FILES = /\.test\.ts$|\/testing\/|\/api\/src\/conditions\.ts$|\/progress\/advice\.ts$/;

const code = globSync('packages/*/src/**/*.ts', { cwd: root })
  .filter((path) => !EXCLUDED_FILES.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

test.each(Object.keys(ConditionReason))('the reason %s is set somewhere', (reason) => {
  expect(code).toMatch(new RegExp(`ConditionReason\\.${reason}\\b|'${reason}'`));
});
