import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { renderReference } from './reference.ts';

test('docs/cli.md matches the command line (npm run generate:cli)', () => {
  const stored = readFileSync(join(import.meta.dirname, '../../../../docs/cli.md'), 'utf8');

  expect(stored).toBe(renderReference(buildProgram(fakeContext())));
});
