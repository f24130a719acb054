import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { ExitCode } from '@fairway/service/exit-code';
import { expect, onTestFinished, test } from 'vitest';
import { fakeContext } from '../../testing/fake-context.ts';
import { checkCloudOptions } from '../../up/cloud-options.ts';

/** Nothing listens there. */
const UNREACHABLE_URL = 'http://127.0.0.1:9/v3';

const FILE = `
clouds:
  paris: { auth: { auth_url: '${UNREACHABLE_URL}', username: a, password: p, project_name: x, user_domain_name: d, project_domain_name: d } }
  berlin: { auth: { auth_url: '${UNREACHABLE_URL}' } }
`;
const yaml = () =>
  new CloudsYaml({
    env: {},
    cwd: '/w',
    home: '/h',
    readFile: (path) => (path === '/w/clouds.yaml' ? FILE : undefined),
  });

test.each([
  { name: 'pariss', message: 'clouds.yaml has no cloud "pariss", only: paris, berlin; did you mean "paris"?' },
  { name: 'london', message: 'clouds.yaml has no cloud "london", only: paris, berlin' },
])('rejects a cloud that is missing from clouds.yaml: $name', ({ name, message }) => {
  expect(() => checkCloudOptions(fakeContext(), { cloud: name }, yaml)).toThrow(
    expect.objectContaining({ message, exitCode: ExitCode.Usage, advice: expect.stringContaining('OS_CLIENT_CONFIG') }),
  );
});

test('rejects a cloud without credentials', () => {
  expect(() => checkCloudOptions(fakeContext(), { cloud: 'berlin' }, yaml)).toThrow(/cloud berlin: auth/);
});

test('warns about a cloud that does not respond, and continues', async () => {
  const context = fakeContext({ clock: systemClock });
  await checkCloudOptions(context, { cloud: 'paris' }, yaml);

  expect(context.written.stderr).toMatch(
    /^warning: cloud paris rejects Fairway's credential: .*ECONNREFUSED.*\n {2}clusters wait until it works, .*fairway doctor --cloud paris/,
  );
});

test('reads the file from the settings instead of the standard locations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clouds-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cloudsFile = join(folder, 'ours.yaml');
  writeFileSync(cloudsFile, FILE);

  expect(() => checkCloudOptions(fakeContext(), { cloud: 'berlin', cloudsFile })).toThrow(/cloud berlin: auth/);
});

test('needs no file for a simulated cloud', async () => {
  const context = fakeContext();
  await checkCloudOptions(context, {}, () => {
    throw new Error('read');
  });

  expect(context.written.stderr).toBe('');
});
