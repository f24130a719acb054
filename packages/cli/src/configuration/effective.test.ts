import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addFairwayOptions, addListenOptions, type FairwayCommandOptions } from '../commands/fairway-options.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { effectiveOptions } from './effective.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-effective-'));
  writeFileSync(
    join(folder, 'fairway.yaml'),
    'log: { level: info }\naudit: { maxBackups: 3, path: logs/audit.log }\nlimits: { maxWatches: 5, bodyTimeout: 10s }\nsimulator: { latency: realistic }\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function optionsOf(name: string, args: readonly string[], env: Record<string, string> = {}): FairwayCommandOptions {
  const command = addFairwayOptions(addListenOptions(new Command(name), 'it'));
  command.option('--sim-latency <profile>', '', 'none').option('--home <dir>');
  command.parse(['--config', 'fairway.yaml', ...args], { from: 'user' });
  return effectiveOptions(fakeContext({ cwd: folder, env }), command, command.opts<FairwayCommandOptions>());
}

test.each([
  { reason: 'only the file', args: [], env: {}, level: 'info', maxBackups: 3, maxSize: 100 },
  {
    reason: 'the environment overrides the file',
    args: [],
    env: { FAIRWAY_LOG_LEVEL: 'debug', FAIRWAY_AUDIT_MAX_SIZE_MB: '9' },
    level: 'debug',
    maxBackups: 3,
    maxSize: 9,
  },
  {
    reason: 'a flag overrides both, even with the default value',
    args: ['--log-level', 'warn', '--audit-log-maxbackup', '10'],
    env: { FAIRWAY_LOG_LEVEL: 'debug' },
    level: 'warn',
    maxBackups: 10,
    maxSize: 100,
  },
])(
  'prefers flags, then the environment, the file and the defaults: $reason',
  ({ args, env, level, maxBackups, maxSize }) => {
    const options = optionsOf('up', args, env);

    expect(options).toMatchObject({ logLevel: level, auditLogMaxbackup: maxBackups, auditLogMaxsize: maxSize });
  },
);

test("resolves paths against the file's directory, and collects limits", () => {
  const { auditLogPath, limits } = optionsOf('up', []);

  expect(auditLogPath).toBe(join(folder, 'logs/audit.log'));
  expect(limits).toEqual({ maxWatches: 5, bodyTimeoutMs: 10_000 });
});

test('ignores a key that only another command reads', () => {
  expect(optionsOf('up', [])).toMatchObject({ simLatency: 'realistic' });
  expect(optionsOf('serve', [])).toMatchObject({ simLatency: 'none' });
});
