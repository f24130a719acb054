import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { buildProgram } from '@fairway/cli/program';
import { renderReference } from '@fairway/cli/reference/reference';

// Writes docs/cli.md from the tree of commands: npm run generate:cli
const silent = { write: () => {}, isTerminal: false };
const program = buildProgram({
  env: {},
  cwd: '/',
  clock: systemClock,
  stdout: silent,
  stderr: silent,
  readStdin: () => Promise.resolve(''),
  confirm: undefined,
  signal: new AbortController().signal,
  exitWith: () => {},
});
writeFileSync(join(import.meta.dirname, '../docs/cli.md'), renderReference(program));
