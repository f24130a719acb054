import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Clock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import type { Cloud } from '@fairway/simulator/cloud';
import { ConfiguredClouds } from '@fairway/tenancy/cloud/configured-clouds';
import { CACHE_FILTERS } from '@fairway/tenancy/cloud/ownership';
import { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

export interface SimulatedCloudsOptions {
  /** The simulator, which is already listening. */
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly nameOf: (namespace: string) => string | undefined;
  readonly credentialOf: (namespace: string, name: string) => CloudCredential | undefined;
  /** Functions that close the clouds are added to this list. */
  readonly closing: (() => Promise<void> | void)[];
}

/** The simulated cloud's projects, by the names in its clouds.yaml. */
export function simulatedClouds(options: SimulatedCloudsOptions): ConfiguredClouds {
  const { cloud, clock, nameOf, credentialOf, closing } = options;
  const commonOptions = { clock, random: Math.random, log: silentLogger };
  const yaml = new CloudsYaml({
    env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
    cwd: '/',
    home: '/',
    readFile: (path) => (path === '/clouds.yaml' ? cloud.cloudsYaml() : undefined),
  });
  const open = (name: string): ProjectCloud => {
    const config = yaml.get(name);
    const connection = new CloudConnection({
      config,
      clock,
      random: Math.random,
      logger: silentLogger,
      // A simulator over plain HTTP has no certificates that could be read.
      readFile: (path) => {
        throw new Error(`${path} is not there`);
      },
    });
    const client = connection.client();
    const cache = new ProjectCache({ client, ...commonOptions, filters: CACHE_FILTERS });
    closing.push(async () => {
      cache.stop();
      await connection.close();
    });
    return new ProjectCloud({ name, region: config.region ?? '', client, cache, clock });
  };
  // The command opens the tenants' own credentials, because it has the operator's clouds.yaml entries.
  return new ConfiguredClouds({ nameOf, open, credentialOf, openProject: () => undefined });
}
