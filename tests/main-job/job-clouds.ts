import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { readCloudsYaml } from '@fairway/service/up/clouds';
import { createCloud } from '@fairway/simulator/cloud';
import { createTestProjects } from './testbed-projects.ts';

/** A cloud that Fairway can run on, as entries in a clouds.yaml. */
export interface JobCloud {
  readonly cloudsYaml: string;
  /** A member of the project that contains the clusters. */
  readonly member: string;
  /** A member of another project. */
  readonly other: string;
  /** A reader of the first project. */
  readonly reader: string;
  /** An administrator, who reads the user data from which hollow nodes boot. */
  readonly admin: string;
  /** By ID or name. */
  readonly image: string;
  readonly flavor: string;
  readonly largerFlavor: string;
  /** Replaces a service in the catalog. If undefined, the test does so as the administrator. */
  readonly announce?: (service: { readonly type: string; readonly name: string; readonly url: string }) => void;
  close(): Promise<void>;
}

export interface JobTarget {
  /** Includes the reason if it is skipped. */
  readonly name: string;
  readonly isMissing: boolean;
  readonly isSimulated?: boolean;
  readonly open: () => Promise<JobCloud>;
}

const SIMULATOR: JobTarget = {
  name: 'the simulator',
  isMissing: false,
  isSimulated: true,
  open: async () => {
    const simulator = createCloud({
      clock: systemClock,
      random: Math.random,
      // As many hosts as the testbed has, so that an anti-affinity group can be too large for the cloud.
      config: { zones: [{ name: 'nova', hosts: 3, hostVcpus: 256, hostRamMiB: 1024 * 1024, hostDiskGiB: 20_000 }] },
    });
    await simulator.listen({ host: '127.0.0.1', port: 0 });
    const folder = await mkdtemp(join(tmpdir(), 'fairway-clouds-'));
    const cloudsYaml = join(folder, 'clouds.yaml');
    await writeFile(cloudsYaml, simulator.cloudsYaml());
    return {
      cloudsYaml,
      member: 'simulator',
      other: 'simulator-other',
      reader: 'simulator-reader',
      admin: 'simulator-admin',
      image: 'Ubuntu 22.04',
      flavor: 'b3-8',
      largerFlavor: 'b3-16',
      announce: (service) => simulator.announce(service),
      close: async () => {
        await simulator.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};

const TESTBED_CLOUDS = `${process.env['OSTEST_ROOT'] ?? '/opt/ostest'}/clouds.yaml`;

/** testbed/openstack, if it is running. */
async function testbed(): Promise<JobTarget> {
  if (existsSync(TESTBED_CLOUDS) && (await isReachable(readCloudsYaml(TESTBED_CLOUDS).get('ostest-demo-a').authUrl))) {
    const open = async () => ({
      ...(await createTestProjects(TESTBED_CLOUDS, 'ostest-admin')),
      admin: 'ostest-admin',
      image: 'ubuntu-22.04',
      flavor: 'b3-8',
      largerFlavor: 'b3-16',
    });
    return { name: 'testbed/openstack', isMissing: false, open };
  }
  return {
    name: 'testbed/openstack (skipped: it is not up; "testbed/openstack/testbed up" starts it)',
    isMissing: true,
    open: () => Promise.reject(new Error('the testbed is not up')),
  };
}

async function isReachable(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).status < 500;
  } catch {
    return false;
  }
}

export const JOB_TARGETS: readonly JobTarget[] = [SIMULATOR, await testbed()];
