import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { configurationSchema } from '@fairway/cli/configuration/json-schema';
import { buildProgram } from '@fairway/cli/program';
import { renderConfigurationReference } from '@fairway/cli/reference/configuration-reference';
import { renderReference } from '@fairway/cli/reference/reference';

// Writes docs/cli.md from the command tree and the schema of fairway.yaml: npm run generate:cli
const silent = { write: () => {}, isTerminal: false };
const program = buildProgram({
  env: {},
  cwd: '/',
  clock: systemClock,
  stdout: silent,
  stderr: silent,
  readStdin: () => Promise.resolve(''),
  ask: undefined,
  signal: new AbortController().signal,
  onHangup: () => () => {},
  exitWith: () => {},
});
const docs = join(import.meta.dirname, '../docs');
writeFileSync(join(docs, 'cli.md'), renderReference(program));
writeFileSync(join(docs, 'operators/configuration.md'), renderConfigurationReference(program));
writeFileSync(join(docs, 'operators/fairway.schema.json'), `${JSON.stringify(configurationSchema(), undefined, 2)}\n`);
