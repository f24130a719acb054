import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import { HollowNodeFleet } from '@fairway/hollow/node/hollow-node-fleet';
import { MemoryDisks } from '@fairway/hollow/node/node-state';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import { keystoneSettings } from '@fairway/identity/settings';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';
import type { JobCloud } from './job-clouds.ts';

/** A whole Fairway in this process on an independent cloud, and with hollow nodes for that cloud's servers. */
export interface FairwayOnCloud {
  /** A client for Fairway's API as its administrator. */
  readonly api: KubeClient;
  readonly kubeconfig: string;
  /** The address of Magnum's API, if it is served, and the file with its CA certificate. */
  readonly magnum: { readonly url: string | undefined; readonly authority: string };
  readonly cloudsYaml: string;
  /** The tenant's own view of its project. */
  readonly member: OpenStackClient;
  readonly admin: OpenStackClient;
  /** A member of another project, and a reader of the first. */
  readonly other: OpenStackClient;
  readonly reader: OpenStackClient;
  /** The size of Fairway's database with its journal, in bytes. */
  readDatabase(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Set this to see Fairway's log. */
const IS_VERBOSE = process.env['FAIRWAY_TEST_LOG'] !== undefined;

function printLog(fields: object, message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${message} ${JSON.stringify(fields)}\n`);
}

const loudLogger: Logger = { debug() {}, info: printLog, warn: printLog, error: printLog, child: () => loudLogger };

interface FairwayOnCloudOptions {
  /** Receives Fairway's log, but nothing from the nodes. */
  readonly log?: Logger;
  /** Same as `fairway up --credential-check`. */
  readonly credentialCheckMs?: number;
  /** Same as `fairway up --cloud-check`. */
  readonly observeMs?: number;
  /** See ProjectCloud; shorter if no Fairway has been killed before, because then no requests are in flight. */
  readonly settleMs?: number;
  /** Admits Keystone users, including at Magnum's API; the cloud's administrator validates their tokens. */
  readonly servesMagnum?: boolean;
}

export async function startFairwayOn(cloud: JobCloud, options: FairwayOnCloudOptions = {}): Promise<FairwayOnCloud> {
  const {
    log = IS_VERBOSE ? loudLogger : silentLogger,
    credentialCheckMs,
    observeMs,
    settleMs,
    servesMagnum,
  } = options;
  const folder = await mkdtemp(join(tmpdir(), 'fairway-on-cloud-'));
  const home = new Home(folder);
  // The file that an operator would specify for a Fairway.
  process.env['OS_CLIENT_CONFIG_FILE'] = cloud.cloudsYaml;
  const fairway = await up({
    home,
    host: '127.0.0.1',
    port: 0,
    cloud: cloud.member,
    latency: 'none',
    defaultImage: cloud.image,
    version: '0.0.0',
    credentialCheckMs,
    observeMs,
    settleMs,
    ...(servesMagnum && {
      keystone: keystoneSettings(cloud.admin),
      magnumListen: { host: '127.0.0.1', port: 0 },
    }),
    clock: systemClock,
    random: Math.random,
    log,
  });
  const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
  const yaml = readCloudsYaml(cloud.cloudsYaml);
  const entries = [cloud.member, cloud.admin, cloud.other, cloud.reader];
  const clouds = entries.map((entry) => openCloud(yaml, entry, cloudOptions));
  const [member, admin, other, reader] = clouds.map((each) => each.client()) as [
    OpenStackClient,
    OpenStackClient,
    OpenStackClient,
    OpenStackClient,
  ];
  const fleet = new HollowNodeFleet({
    cloud: openStackFleetCloud(admin),
    disks: new MemoryDisks(),
    ...cloudOptions,
    // Short, because there are no notifications of new servers.
    idlePeriodMs: 2_000,
  });
  fleet.start();
  const { transport } = await loadKubeConnection({ path: home.kubeconfig });
  const api = new KubeClient(new HttpsTransport(transport));
  return {
    api,
    kubeconfig: home.kubeconfig,
    magnum: { url: fairway.magnumUrl, authority: home.apiAuthority },
    cloudsYaml: cloud.cloudsYaml,
    member,
    admin,
    other,
    reader,
    async readDatabase() {
      return Buffer.concat(await Promise.all([home.database, `${home.database}-wal`].map((path) => readFile(path))));
    },
    async close() {
      api.close();
      await fleet.stop();
      await fairway.stop();
      for (const each of clouds) await each.close();
      await rm(folder, { recursive: true });
    },
  };
}
