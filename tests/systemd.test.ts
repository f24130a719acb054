import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable, foldersOnPath } from '@fairway/control-plane/process/executables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT } from './session/running-fairway.ts';

const analyze = findExecutable(foldersOnPath(process.env), 'systemd-analyze') ?? '';
const title = analyze === '' ? ' (skipped: no systemd-analyze)' : '';
/** Of 100: systemd calls what is below 25 protected; a service without any protection has 96. */
const MAX_EXPOSURE = 20;

describe.skipIf(analyze === '')(`the systemd unit${title}`, () => {
  let folder: string;
  let unit: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fairway-unit-'));
    unit = join(folder, 'fairway.service');
    // The command of a machine on which Fairway is installed.
    const text = readFileSync(join(PROJECT, 'deploy/systemd/fairway.service'), 'utf8');
    writeFileSync(unit, text.replaceAll('/usr/local/bin/fairway', '/bin/true'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('may be changed for several tenants by the file beside it', () => {
    const dropIn = join(folder, 'fairway.service.d');
    mkdirSync(dropIn);
    copyFileSync(join(PROJECT, 'deploy/systemd/fairway.service.d/tenants.conf'), join(dropIn, 'tenants.conf'));
    const { status, stdout, stderr } = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' });
    rmSync(dropIn, { recursive: true });

    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('has no line that systemd does not understand', () => {
    const { status, stdout, stderr } = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' });

    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('leaves Fairway nothing that it does not need', () => {
    const args = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, '--no-pager', unit];
    const { status, stdout } = spawnSync(analyze, args, { encoding: 'utf8' });

    expect(stdout).toMatch(/Overall exposure level for fairway\.service: [0-9.]+ OK/);
    expect(status).toBe(0);
  });
});
