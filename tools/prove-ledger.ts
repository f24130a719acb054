import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BLIND_VARIABLE } from '@fairway/api/testing/blind';
import { LEDGER } from '@fairway/api/testing/ledger/all';
import type { Proof } from '@fairway/api/testing/ledger/entry';
import { createVitest } from 'vitest/node';

// Proves each line of the ledger of spec fields: its test passes, and fails where the field is not seen.
// `npm run ledger -- --only NodePool` or `--only spec.etcd` proves some.

const { only = '' } = parseArgs({ options: { only: { type: 'string' } } }).values;
const lines = Object.entries(LEDGER)
  .flatMap(([kind, fields]) => Object.entries(fields).map(([path, { proof }]) => ({ field: `${kind} ${path}`, proof })))
  .filter(({ field }) => field.includes(only));

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

// One for all runs, since transforming modules takes longer than most tests.
const vitest = await createVitest('test', { watch: false, maxWorkers: 1, reporters: [{}], silent: true });
await vitest.standalone();

async function run({ file, title }: Proof, blind: string): Promise<Outcome> {
  // Workers are started for each run, with the environment as it is then.
  process.env[BLIND_VARIABLE] = blind;
  vitest.setGlobalTestNamePattern(pattern(title));
  const path = resolve(file);
  const { testModules } = await vitest.runTestSpecifications(vitest.getModuleSpecifications(path));
  // Those of earlier runs are told again.
  const own = testModules.filter(({ moduleId }) => moduleId === path);
  const states = own.flatMap(({ children }) => [...children.allTests()].map((test) => test.result().state));
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  return { passed: count('passed'), failed: count('failed') };
}

/** Of the titles that a table makes of a title: `$reason` and `%s` stand for any text. */
function pattern(title: string): string {
  const literal = title.replaceAll('\\', '').split(/\$[A-Za-z.]+|%[sdijo]/);
  return literal.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
}

const faults: string[] = [];
const seen = new Map<string, Outcome>();
for (const { field, proof } of lines) {
  const key = `${proof.file} ${proof.title}`;
  const plain = seen.get(key) ?? (await run(proof, ''));
  seen.set(key, plain);
  if (plain.passed === 0 || plain.failed > 0) {
    faults.push(`${field}: ${plain.passed} tests pass and ${plain.failed} fail of ${key}`);
  } else if (proof.insteadOfBlinding === undefined && (await run(proof, field)).failed === 0) {
    faults.push(`${field}: passes without it: ${key}`);
  } else {
    process.stdout.write(`${field}: proven\n`);
  }
}
await vitest.close();
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${lines.length - faults.length} of ${lines.length} fields are proven\n`);
process.exitCode = lines.length > 0 && faults.length === 0 ? 0 : 1;
