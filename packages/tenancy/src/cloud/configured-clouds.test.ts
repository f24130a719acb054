import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { FakeClock } from '@fairway/base/clock-fake';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { Cloud } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { expect, it } from 'vitest';
import { ConfiguredClouds } from './configured-clouds.ts';
import { ProjectCloud } from './project-cloud.ts';

const YAML = `
clouds:
  west:
    auth: { auth_url: 'http://127.0.0.1:1/v3', application_credential_id: a, application_credential_secret: b }
    auth_type: v3applicationcredential
`;

/** Creates clouds that send no requests, because their clock is stopped. */
function cloudsWith(credentials: readonly CloudCredential[]): ConfiguredClouds {
  const clock = new FakeClock();
  const config = new CloudsYaml({
    env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
    cwd: '/',
    home: '/',
    readFile: (path) => (path === '/clouds.yaml' ? YAML : undefined),
  }).get('west');
  const random = () => 0.5;
  const client = new Cloud({ config, clock, random, readFile: () => '' }).client();
  const open = (credentialKey?: string) =>
    new ProjectCloud({
      name: 'west',
      region: '',
      credentialKey,
      client,
      cache: new ProjectCache({ client, clock, random }),
      clock,
    });
  return new ConfiguredClouds({
    nameOf: () => 'west',
    open: () => open(),
    credentialOf: (namespace, name) =>
      credentials.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    openProject: ({ metadata }) => open(`${metadata.namespace}/${metadata.name}`),
  });
}

const credential = (name: string): CloudCredential => ({
  metadata: { name, namespace: 'team' },
  spec: { cloud: 'west', secretRef: { name }, reclaimPolicy: 'Retain' },
});

it('opens a project once per credential, and once for clusters without a credential', () => {
  const clouds = cloudsWith([credential('mine'), credential('yours')]);

  expect(clouds.forNamespace('team', 'mine')).toBe(clouds.forNamespace('team', 'mine'));
  expect(clouds.forNamespace('team', 'mine')).not.toBe(clouds.forNamespace('team', 'yours'));
  expect(clouds.forNamespace('team')).toBe(clouds.forNamespace('elsewhere'));
  expect(clouds.forNamespace('team', 'nobody')).toBeUndefined();
});

it('stops only the caches of a deleted credential', async () => {
  const clouds = cloudsWith([credential('mine'), credential('yours')]);
  const [ownCloud, otherCloud] = [clouds.forNamespace('team', 'mine'), clouds.forNamespace('team', 'yours')];
  const waiting = ownCloud?.cache.servers.refreshAfter(0);

  clouds.forgetCredential('team/mine');

  await expect(waiting).rejects.toThrow('the cache of servers was stopped');
  expect(clouds.forNamespace('team', 'mine')).not.toBe(ownCloud);
  expect(clouds.forNamespace('team', 'yours')).toBe(otherCloud);
});
