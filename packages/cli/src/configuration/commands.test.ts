import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runWith } from '../command/run-program.ts';
import { fakeContext } from '../testing/fake-context.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-config-'));
  const files = {
    'good.yaml': 'cloud: { name: mine, file: clouds.yaml }\nlog: { level: info }\n',
    'bad.yaml':
      'cloud: { name: mien, file: clouds.yaml }\nnodes: { settingsFile: missing.yaml }\nlog: { levle: info }\n',
    'off.yaml': 'controlPlanes: { offHostFile: store.yaml }\nbackup: { schedule: never }\n',
    'store.yaml': 's3: { endpoint: here, bucket: b, credentialsFile: c.yaml }\npassphraseFile: p\n',
    'nowhere.yaml': 'backup: { schedule: "0 3 * * *" }\n',
    'audit.yaml': 'audit: { policyFile: policy.yaml, webhook: { configFile: receiver.kubeconfig } }\n',
    'policy.yaml': 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Everything }]\n',
    'receiver.kubeconfig': 'apiVersion: v1\nkind: Config\n',
    'clouds.yaml':
      'clouds: { mine: { auth: { auth_url: "http://127.0.0.1:5000", username: a, password: b, project_name: c, user_domain_name: d, project_domain_name: d } } }\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function fairway(args: readonly string[], env: Record<string, string> = {}) {
  const context = fakeContext({ cwd: folder, env });
  return { code: await runWith(args, context), ...context.written };
}

test('config check accepts a correct file with the cloud and the files that it refers to', async () => {
  expect(await fairway(['config', 'check', 'good.yaml'])).toEqual({
    code: 0,
    stdout: expect.stringMatching(/good\.yaml is valid: 3 of \d+ keys are set\n$/),
    stderr: '',
  });
});

test('config check reports every problem and the allowed values', async () => {
  const { code, stdout, stderr } = await fairway(['config', 'check', 'bad.yaml']);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toContain('says the same');
  expect(stderr).toContain('log.levle: unknown key; did you mean "level" or "levels"?');
  expect(stderr).toContain(`nodes.settingsFile: cannot read ${folder}/missing.yaml (ENOENT)`);
  expect(stderr).toContain('cloud.name: "mien" is not in clouds.yaml; did you mean "mine"?');
});

test('config check reads the settings of the object store', async () => {
  const { code, stderr } = await fairway(['config', 'check', 'off.yaml']);

  expect(code).toBe(2);
  expect(stderr).toContain(`controlPlanes.offHostFile: ${folder}/store.yaml: `);
  expect(stderr).toContain('endpoint');
});

test('config check and doctor read the audit policy and the kubeconfig of its webhook', async () => {
  const { code, stderr } = await fairway(['config', 'check', 'audit.yaml']);
  const doctor = await fairway(['doctor', '--home', join(folder, 'home')], { FAIRWAY_CONFIG: 'audit.yaml' });

  expect(code).toBe(2);
  for (const output of [stderr, doctor.stdout]) {
    expect(output).toMatch(/audit\.policyFile: .*"None"\|"Metadata"\|"Request"\|"RequestResponse"/);
    expect(output).toMatch(/audit\.webhook\.configFile: .*no current-context/);
  }
});

test('up refuses an invalid audit policy', async () => {
  const { code, stderr } = await fairway(['up', '--audit-policy-file', 'policy.yaml', '--home', join(folder, 'home')]);

  expect(code).toBe(2);
  expect(stderr).toMatch(/--audit-policy-file .*policy\.yaml: [\s\S]*rules\[0\]\.level/);
});

test('config check warns about backups without a destination, and up refuses them', async () => {
  const message =
    'backup.schedule: backups are scheduled at "0 3 * * *", but there is no object store: set controlPlanes.offHostFile';

  expect(await fairway(['config', 'check', 'nowhere.yaml'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`warning: ${message}`) as string,
  });
  expect(await fairway(['up', '--config', 'nowhere.yaml', '--home', join(folder, 'home')])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`error: ${message}`) as string,
  });
});

test('config check reports a variable that is not a setting, unless it belongs to a Service in a pod', async () => {
  const { code, stderr } = await fairway(['config', 'check', 'good.yaml'], {
    FAIRWAY_LOGLEVEL: 'debug',
    FAIRWAY_LAUNCHER: '4711',
    FAIRWAY_SERVICE_HOST: '10.0.0.1',
    FAIRWAY_GATEWAY_PORT_8443_TCP_ADDR: '10.0.0.1',
  });

  expect(code).toBe(0);
  expect(stderr).toBe(
    'warning: FAIRWAY_LOGLEVEL is not a setting: did you mean "FAIRWAY_LOG_LEVEL" or "FAIRWAY_LOG_LEVELS"?\n',
  );
});

test.each([['check'], ['show']])('config %s accepts the same file as "fairway up"', async (command) => {
  const named = await fairway(['config', command, '--config', 'good.yaml']);

  expect(named).toEqual(await fairway(['config', command, 'good.yaml']));
  expect(named.code).toBe(0);
});

test('config show prints where each value comes from', async () => {
  const { stdout } = await fairway(['config', 'show', 'good.yaml'], { FAIRWAY_LOG_LEVEL: 'debug' });

  expect(stdout).toMatch(/^KEY +VALUE +SOURCE$/m);
  expect(stdout).toMatch(/^cloud\.name +mine +.*\/good\.yaml$/m);
  expect(stdout).toMatch(/^log\.level +debug +FAIRWAY_LOG_LEVEL$/m);
  expect(stdout).toMatch(/^listen +127\.0\.0\.1:8443 +default$/m);
  expect(stdout).toMatch(/^nodes\.defaultImage +- +unset$/m);
});

test.each([['up'], ['serve']])('fairway %s refuses an invalid file before it starts anything', async (command) => {
  const { code, stdout, stderr } = await fairway([command, '--config', 'bad.yaml', '--home', join(folder, 'home')]);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^error: .*bad\.yaml: log\.levle: unknown key/);
});

test('config check reports a missing file', async () => {
  expect(await fairway(['up'], { FAIRWAY_CONFIG: 'missing.yaml' })).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^error: cannot read .*\/missing\.yaml: ENOENT/),
  });
});
