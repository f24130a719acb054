import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runWith } from '../../command/run-program.ts';
import { fakeContext } from '../../testing/fake-context.ts';

test.each([
  { args: ['version', '--client'], code: 0, stdout: /^Client: fairway \d/, reason: 'needs no server' },
  { args: ['--version'], code: 0, stdout: /^Client: fairway \d/, reason: 'what people type' },
  { args: ['version', '--client', '-o', 'json'], code: 0, stdout: /"version": "\d/, reason: '' },
  { args: ['cluster', '--help'], code: 0, stdout: /create .*create a cluster/, reason: 'help was requested' },
  { args: ['cluster'], code: 2, stderr: /Usage: fairway cluster/, reason: 'help was not requested' },
  {
    args: ['clsuter', 'list'],
    code: 2,
    stderr: /unknown command 'clsuter'\n  did you mean: fairway cluster list\n$/,
    reason: 'mistyped',
  },
  {
    args: ['get', 'clusters'],
    code: 2,
    stderr: /\n  did you mean: fairway cluster list\n$/,
    reason: 'kubectl’s order',
  },
  {
    args: ['cluster', 'list', '--selectr', 'a=b'],
    code: 2,
    stderr: /Did you mean --selector/,
    reason: 'a misspelled option',
  },
  {
    args: ['cluster', 'list', '--all'],
    code: 2,
    stderr: /unknown option '--all'\n {2}usage: fairway cluster list \[options\]; see "fairway cluster list --help"$/m,
    reason: 'an unknown option',
  },
  {
    args: ['-n', 'team', 'cluster', 'get'],
    code: 2,
    stderr: /missing required argument 'names'\n {2}usage: fairway cluster get \[options\] <names\.\.\.>;/,
    reason: 'no name',
  },
  {
    args: ['frobnicate'],
    code: 2,
    stderr: /unknown command 'frobnicate'\n {2}usage: fairway \[options\] \[command\]; see "fairway --help"$/m,
    reason: 'an unknown command',
  },
  {
    args: ['usage', '--since', 'today'],
    code: 2,
    stderr: /unknown option '--since'\n {2}usage: fairway usage \[options\] \[command\];/,
    reason: 'an option of a subcommand',
  },
  { args: ['cluster', 'list', '-o', 'xml'], code: 2, stderr: /Allowed choices are wide, json, yaml, name/, reason: '' },
  { args: ['cluster', 'create', 'x', '--nodes', '-1'], code: 2, stderr: /Must be a whole number/, reason: '' },
  { args: ['cluster', 'create', 'x', '--timeout', '5'], code: 2, stderr: /such as 90s, 10m/, reason: 'no unit' },
  { args: ['nodepool', 'scale', 'x'], code: 2, stderr: /--nodes <count>' not specified/, reason: 'a missing count' },
  {
    args: ['up', '--listen', 'nonsense'],
    code: 2,
    stderr: /Must be HOST:PORT/,
    reason: 'rejected before anything starts',
  },
  {
    args: ['cluster', 'list', '--kubeconfig', 'missing'],
    code: 2,
    stderr: /error: cannot read \/nowhere\/missing/,
    reason: '',
  },
])('fairway $args exits with $code', async ({ args, code, stdout = /^$/, stderr = /^$/ }) => {
  const context = fakeContext();

  expect(await runWith(args, context)).toBe(code);
  expect(context.written.stdout).toMatch(stdout);
  expect(context.written.stderr).toMatch(stderr);
});

test('shows an error without a stack trace, unless requested', async () => {
  const [briefHelp, full] = [fakeContext(), fakeContext()];
  await runWith(['cluster', 'list', '--kubeconfig', 'missing'], briefHelp);
  await runWith(['--debug', 'cluster', 'list', '--kubeconfig', 'missing'], full);

  expect(briefHelp.written.stderr).not.toContain(' at ');
  expect(full.written.stderr).toMatch(/\n {4}at /);
});

test('reports in one line that output cannot be written', () => {
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
  const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
  const { status, stderr } = spawnSync(process.execPath, [main, 'completion', 'bash'], { stdio: [...stdio] });

  expect(status).toBe(1);
  expect(String(stderr)).toBe('error: cannot write output: ENOSPC: no space left on device, write\n');
});
