import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { keystoneSettings } from '@fairway/identity/settings';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { Credential } from '@fairway/openstack/auth/credential';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { Home } from '@fairway/service/up/home';
import { type UpOptions, up } from '@fairway/service/up/up';
import { dump, load } from 'js-yaml';
import type { JobCloud } from '../main-job/job-clouds.ts';
import { type KeystoneProxy, startKeystoneProxy } from './keystone-proxy.ts';

/** A complete Fairway in this process that authenticates users of a cloud's Keystone. */
export interface FairwayWithKeystone {
  /** Counts only Fairway's own requests. */
  readonly keystone: KeystoneProxy;
  /** A client for Fairway's API as its administrator. */
  readonly api: KubeClient;
  /** The kubeconfig of that administrator. */
  readonly kubeconfig: string;
  /** The cloud, as an entry of clouds.yaml or with another credential. */
  cloud(entry: string, credential?: Credential): OpenStackClient;
  /** A client for Fairway's API with a Keystone token. */
  by(token: string): KubeClient;
  /** The address for browsers. */
  address(): Promise<{ readonly url: string; readonly certificateAuthority: string }>;
  /** The login data for an entry's user. */
  passwordOf(entry: string): Extract<Credential, { kind: 'password' }>;
  close(): Promise<void>;
}

interface CloudsFile {
  clouds: Record<string, { auth: Record<string, unknown>; [key: string]: unknown }>;
}

const ENTRY_NAME = 'validating';

/** `controlPlanes` are simulated by default. */
export async function startFairwayWithKeystone(
  job: JobCloud,
  { controlPlanes }: Pick<UpOptions, 'controlPlanes'> = {},
): Promise<FairwayWithKeystone> {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-keystone-'));
  const yaml = readCloudsYaml(job.cloudsYaml);
  const keystone = await startKeystoneProxy(yaml.get(job.admin).authUrl);
  const file = load(await readFile(job.cloudsYaml, 'utf8')) as CloudsFile;
  const admin = file.clouds[job.admin];
  if (admin === undefined) throw new Error(`there is no ${job.admin} in ${job.cloudsYaml}`);
  const auth = { ...admin.auth, auth_url: keystone.url };
  file.clouds[ENTRY_NAME] = { ...admin, auth, identity_endpoint_override: keystone.url };
  const cloudsFile = join(folder, 'clouds.yaml');
  await writeFile(cloudsFile, dump(file));
  const home = new Home(join(folder, 'home'));
  const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
  const fairway = await up({
    home,
    host: '127.0.0.1',
    port: 0,
    cloud: job.member,
    cloudsFile,
    keystone: keystoneSettings(ENTRY_NAME),
    latency: 'none',
    defaultImage: job.image,
    version: '0.0.0',
    ...(controlPlanes && { controlPlanes }),
    ...cloudOptions,
  });
  const { transport } = await loadKubeConnection({ path: home.kubeconfig });
  const { server, certificateAuthority } = transport;
  const clients = [new KubeClient(new HttpsTransport(transport))];
  const clouds: ReturnType<typeof openCloud>[] = [];
  return {
    keystone,
    api: clients[0] as KubeClient,
    kubeconfig: home.kubeconfig,
    cloud(entry, credential) {
      const cloud = openCloud(yaml, entry, cloudOptions);
      clouds.push(cloud);
      return cloud.client(credential);
    },
    address: () => Promise.resolve({ url: server, certificateAuthority: certificateAuthority ?? '' }),
    passwordOf(entry) {
      const { credential } = yaml.get(entry);
      if (credential.kind !== 'password') throw new Error(`${entry} has no password`);
      return credential;
    },
    by(token) {
      const client = new KubeClient(
        new HttpsTransport({ server, ...(certificateAuthority && { certificateAuthority }), bearerToken: () => token }),
      );
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.close();
      for (const cloud of clouds) await cloud.close();
      await fairway.stop();
      await keystone.close();
      await rm(folder, { recursive: true });
    },
  };
}
