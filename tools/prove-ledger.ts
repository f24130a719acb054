import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BLIND_VARIABLE } from '@fairway/api/testing/blind';
import { LEDGER } from '@fairway/api/testing/ledger/all';
import type { Proof } from '@fairway/api/testing/ledger/entry';

// Proves each line of the ledger of spec fields: its test passes, and fails where the field is not seen.
// `npm run ledger -- --only NodePool` or `--only spec.etcd` proves some.

const { only = '' } = parseArgs({ options: { only: { type: 'string' } } }).values;
const scratch = mkdtempSync(join(tmpdir(), 'ledger-'));
const lines = Object.entries(LEDGER)
  .flatMap(([kind, fields]) => Object.entries(fields).map(([path, { proof }]) => ({ field: `${kind} ${path}`, proof })))
  .filter(({ field }) => field.includes(only));

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

function run({ file, title }: Proof, blind: string): Outcome {
  const outputFile = join(scratch, 'report.json');
  const project = file.startsWith('tests/') ? 'system' : 'unit';
  const options = ['--project', project, '--maxWorkers=1', '--reporter=json', `--outputFile=${outputFile}`];
  spawnSync('npx', ['vitest', 'run', ...options, '-t', pattern(title), file], {
    env: { ...process.env, [BLIND_VARIABLE]: blind },
    stdio: 'ignore',
  });
  const report = JSON.parse(readFileSync(outputFile, 'utf8'));
  rmSync(outputFile);
  return { passed: report.numPassedTests, failed: report.numFailedTests };
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
  const plain = seen.get(key) ?? run(proof, '');
  seen.set(key, plain);
  if (plain.passed === 0 || plain.failed > 0) {
    faults.push(`${field}: ${plain.passed} tests pass and ${plain.failed} fail of ${key}`);
  } else if (proof.insteadOfBlinding === undefined && run(proof, field).failed === 0) {
    faults.push(`${field}: passes without it: ${key}`);
  } else {
    process.stdout.write(`${field}: proven\n`);
  }
}
rmSync(scratch, { recursive: true });
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${lines.length - faults.length} of ${lines.length} fields are proven\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
