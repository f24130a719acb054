import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogLevels } from '@fairway/service/log-levels';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addFairwayOptions, addListenOptions, type FairwayCommandOptions } from '../commands/fairway-options.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { effectiveOptions } from './effective.ts';
import { reloadOnHangup } from './reload.ts';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-reload-'));
  file = join(folder, 'fairway.yaml');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A process started with this file and these flags. */
function started(content: string, ...flags: readonly string[]) {
  writeFileSync(file, content);
  const context = fakeContext({ cwd: folder, env: { FAIRWAY_CONFIG: file } });
  const command = addFairwayOptions(addListenOptions(new Command('up'), 'it'));
  command.parse(flags, { from: 'user' });
  const reread = () => effectiveOptions(context, command, command.opts<FairwayCommandOptions>());
  const options = reread();
  const levels = new LogLevels(options.logLevel, options.logLevels);
  const stop = reloadOnHangup(context, { started: options, reread, levels });
  return { context, levels, stop };
}

test('applies log levels immediately, and lists other changed keys, which need a restart', () => {
  const { context, levels } = started('log: { level: warn }\ncontrolPlanes: { address: 10.0.0.5 }\n');
  writeFileSync(
    file,
    'log: { level: error, levels: { openstack: debug } }\ncontrolPlanes: { address: 10.0.0.6 }\nlisten: 0.0.0.0:443\n',
  );
  context.hangUp();

  expect([levels.isEnabled('warn', undefined), levels.isEnabled('debug', 'openstack')]).toEqual([false, true]);
  expect(context.written.stderr).toBe(
    `reloaded ${file}: its log levels are in effect; a restart is needed for listen, controlPlanes.address\n`,
  );
});

test('changes nothing if the file is invalid', () => {
  const { context, levels } = started('log: { level: warn }\n');
  writeFileSync(file, 'log: { level: debug, levels: { everything: debug } }\n');
  context.hangUp();

  expect(levels.isEnabled('info', undefined)).toBe(false);
  expect(context.written.stderr).toContain(
    `${file} was not applied: ${file}: log.levels: {"everything":"debug"} is not`,
  );
});

test('prefers a flag to the file, as at startup', () => {
  const { context, levels } = started('log: { level: warn }\n', '--log-level', 'info', '--log-levels', 'gateway=debug');
  writeFileSync(file, 'log: { level: error, levels: { gateway: error } }\n');
  context.hangUp();

  expect([levels.isEnabled('info', undefined), levels.isEnabled('debug', 'gateway')]).toEqual([true, true]);
});

test('reads nothing after it has been stopped', () => {
  const { context, stop } = started('log: { level: warn }\n');
  stop();
  context.hangUp();

  expect(context.written.stderr).toBe('');
});
