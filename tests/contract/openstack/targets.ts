import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { systemClock } from '@fairway/base/clock';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { createCloud } from '@fairway/simulator/cloud';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { ContractCloud } from './contract-cloud.ts';

interface Target {
  /** Includes the reason if it is skipped. */
  readonly name: string;
  readonly isMissing: boolean;
  readonly open: () => Promise<{ readonly cloud: ContractCloud; close(): Promise<void> }>;
}

const SIMULATOR: Target = {
  name: 'the simulator',
  isMissing: false,
  open: async () => {
    const simulator = createCloud({
      clock: systemClock,
      random: Math.random,
      // As many hosts as the testbed has, so that an anti-affinity group can be too large for the cloud.
      config: {
        zones: [{ name: 'nova', hosts: 3, hostVcpus: 256, hostRamMiB: 1024 * 1024, hostDiskGiB: 20_000 }],
        // Long enough to observe a load balancer in PENDING.
        latency: {
          ...NO_LATENCY,
          lifecycle: { ...NO_LATENCY.lifecycle, loadBalancerCreate: 200, loadBalancerUpdate: 200 },
        },
      },
    });
    await simulator.listen({ host: '127.0.0.1', port: 0 });
    const cloudsYaml = readClouds({ '/clouds.yaml': simulator.cloudsYaml() }, '/clouds.yaml');
    const entries = {
      member: 'simulator',
      other: 'simulator-other',
      reader: 'simulator-reader',
      admin: 'simulator-admin',
    };
    return { cloud: new ContractCloud(cloudsYaml, entries), close: () => simulator.close() };
  },
};

/**
 * Another cloud: the FAIRWAY_TEST_CLOUD entry in clouds.yaml (where FAIRWAY_TEST_OTHER_CLOUD is a member of
 * another project, FAIRWAY_TEST_READER_CLOUD a reader of the same project), otherwise testbed/openstack if it is
 * running.
 */
async function realCloud(): Promise<Target> {
  const { FAIRWAY_TEST_CLOUD, FAIRWAY_TEST_OTHER_CLOUD, FAIRWAY_TEST_READER_CLOUD } = process.env;
  if (FAIRWAY_TEST_CLOUD !== undefined) {
    const entries = { member: FAIRWAY_TEST_CLOUD, other: FAIRWAY_TEST_OTHER_CLOUD, reader: FAIRWAY_TEST_READER_CLOUD };
    return target(`the cloud ${FAIRWAY_TEST_CLOUD}`, readClouds({}, process.env.OS_CLIENT_CONFIG_FILE), entries);
  }
  const path = `${process.env.OSTEST_ROOT ?? '/opt/ostest'}/clouds.yaml`;
  const entries = {
    member: 'ostest-demo-a',
    other: 'ostest-demo-b',
    reader: 'ostest-reader-a',
    admin: 'ostest-admin',
  };
  const testbed = existsSync(path) ? readClouds({}, path) : undefined;
  if (testbed !== undefined && (await isReachable(testbed.get(entries.member).authUrl))) {
    return target('testbed/openstack', testbed, entries);
  }
  return {
    name: 'testbed/openstack (skipped: it is not up, and FAIRWAY_TEST_CLOUD names no other cloud)',
    isMissing: true,
    open: () => Promise.reject(new Error('no such cloud')),
  };
}

function target(name: string, cloudsYaml: CloudsYaml, entries: ConstructorParameters<typeof ContractCloud>[1]): Target {
  return {
    name,
    isMissing: false,
    open: () => Promise.resolve({ cloud: new ContractCloud(cloudsYaml, entries), close: () => Promise.resolve() }),
  };
}

function readClouds(files: Readonly<Record<string, string>>, path: string | undefined): CloudsYaml {
  return new CloudsYaml({
    env: path === undefined ? {} : { OS_CLIENT_CONFIG_FILE: path },
    cwd: process.cwd(),
    home: homedir(),
    readFile: (file) => files[file] ?? (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
  });
}

async function isReachable(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).status < 500;
  } catch {
    return false;
  }
}

const TARGETS: readonly Target[] = [SIMULATOR, await realCloud()];

/** Runs the same cases against every available cloud; a missing one is skipped by name. */
export function describeClouds(title: string, cases: (cloud: () => ContractCloud) => void): void {
  for (const { name, isMissing, open } of TARGETS) {
    describe.skipIf(isMissing)(`${title} on ${name}`, () => {
      let opened: Awaited<ReturnType<Target['open']>> | undefined;

      beforeAll(async () => {
        opened = await open();
      });

      afterEach(() => opened?.cloud.cleanUp());

      afterAll(async () => {
        try {
          await opened?.cloud.close();
        } finally {
          await opened?.close();
        }
      });

      cases(() => {
        if (opened === undefined) throw new Error('the cloud is not open yet');
        return opened.cloud;
      });
    });
  }
}
