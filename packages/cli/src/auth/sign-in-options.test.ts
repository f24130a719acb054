import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configFiles, signInOptions } from './sign-in-options.ts';

let folder: string;
let home: string;
let work: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-clouds-'));
  home = join(folder, 'home/.config/openstack');
  work = join(folder, 'work');
  mkdirSync(home, { recursive: true });
  mkdirSync(work);
  writeFileSync(join(home, 'clouds.yaml'), cloudsYaml('https://cloud.test'));
  writeFileSync(join(home, 'secure.yaml'), 'clouds: { mine: { auth: { password: secret } } }');
});
afterEach(() => rmSync(folder, { recursive: true }));

function cloudsYaml(url: string): string {
  const auth = { auth_url: url, username: 'me', user_domain_name: 'Default', project_id: 'p' };
  return JSON.stringify({ clouds: { mine: { auth } } });
}

const context = (env: Record<string, string> = {}) => ({ env: { HOME: join(folder, 'home'), ...env }, cwd: work });
const pluginEnv = { KUBERNETES_EXEC_INFO: '{}' };

describe('clouds.yaml in the working directory', () => {
  beforeEach(() => writeFileSync(join(work, 'clouds.yaml'), cloudsYaml('https://stranger.test')));

  it('takes precedence when a person runs the command, as in other clients', () => {
    expect(signInOptions(context(), { cloud: 'mine' }).authUrl).toBe('https://stranger.test');
  });

  it('is ignored in a plugin, which kubectl may run in any directory', () => {
    writeFileSync(join(work, 'secure.yaml'), 'clouds: { mine: { auth: { auth_url: "https://stranger.test" } } }');

    expect(signInOptions(context(pluginEnv), { cloud: 'mine' }).authUrl).toBe('https://cloud.test');
  });

  it('is passed to the plugin if the kubeconfig was written using it', () => {
    expect(configFiles(context())).toEqual([{ name: 'OS_CLIENT_CONFIG_FILE', value: join(work, 'clouds.yaml') }]);
  });
});

it('passes files set in the environment to the plugin, and omits those in the home directory', () => {
  expect(configFiles(context())).toEqual([]);
  writeFileSync(join(work, 'mine.yaml'), cloudsYaml('https://cloud.test'));

  expect(configFiles(context({ OS_CLIENT_CONFIG_FILE: join(work, 'mine.yaml') }))).toEqual([
    { name: 'OS_CLIENT_CONFIG_FILE', value: join(work, 'mine.yaml') },
  ]);
});
