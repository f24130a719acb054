import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FairwayOnCloud, startFairwayOn } from '../main-job/fairway-on-cloud.ts';
import type { JobCloud, JobTarget } from '../main-job/job-clouds.ts';
import { type CommandResult, run } from '../session/running-fairway.ts';

/** A tenant of the project, a reader of it, a tenant of another project, and the cloud's administrator. */
export type Person = 'tenant' | 'reader' | 'outsider' | 'admin';

/** The distribution's `openstack` client with a Fairway whose own login has no role in the tenant's project. */
export class CoeSession {
  readonly cloud: JobCloud;
  readonly fairway: FairwayOnCloud;
  readonly folder: string;
  readonly #openstack: string;
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  private constructor(cloud: JobCloud, fairway: FairwayOnCloud, folder: string, openstack: string) {
    this.cloud = cloud;
    this.fairway = fairway;
    this.folder = folder;
    this.#openstack = openstack;
  }

  static async open(target: JobTarget, openstack: string): Promise<CoeSession> {
    const cloud = await target.open();
    const swappedCloud = { ...cloud, member: cloud.other, other: cloud.member };
    const fairway = await startFairwayOn(swappedCloud, {
      servesMagnum: true,
      settleMs: 1_000,
      credentialCheckMs: 1_000,
    });
    const session = new CoeSession(cloud, fairway, await mkdtemp(join(tmpdir(), 'fairway-coe-')), openstack);
    await session.#announce(`${fairway.magnum.url}/v1`);
    return session;
  }

  /** Runs `openstack` as one of these users. */
  openstack(person: Person, ...args: readonly string[]): Promise<CommandResult> {
    const { cloud, fairway, folder } = this;
    const entry = { tenant: cloud.member, reader: cloud.reader, outsider: cloud.other, admin: cloud.admin }[person];
    return run(this.#openstack, ['--os-cloud', entry, ...args], {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      // `cluster config` fails with a traceback without this variable.
      SHELL: '/bin/sh',
      OS_CLIENT_CONFIG_FILE: fairway.cloudsYaml,
      OS_CACERT: fairway.magnum.authority,
    });
  }

  /** The output as JSON. Throws an Error with the client's message if it fails. */
  async json<T = Record<string, unknown>>(person: Person, ...args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.openstack(person, ...args, '-f', 'json');
    if (code !== 0) throw new Error(`openstack ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** Public templates for the newest two versions available to new clusters, older first. */
  async newestTemplates(): Promise<readonly [older: string, newer: string]> {
    const listed = await this.json<{ name: string }[]>('tenant', 'coe', 'cluster', 'template', 'list');
    const names = listed.map(({ name }) => name).filter((name) => name.endsWith('-free'));
    const [older = '', newer = ''] = names.slice(-2);
    return [older, newer];
  }

  /** The IDs of the trusts created by the tenant. */
  async trusts(): Promise<readonly string[]> {
    return (await this.fairway.other.identity.trustsGiven()).map(({ id }) => id);
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
    await this.fairway.close();
    await this.cloud.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Uses the commands of docs/operators/magnum.md if the cloud is a real one. */
  async #announce(url: string): Promise<void> {
    const { announce } = this.cloud;
    if (announce) return announce({ type: 'container-infra', name: 'magnum', url });
    const args = ['service', 'create', '--name', 'magnum', 'container-infra'];
    const { id } = await this.json<{ id: string }>('admin', ...args);
    this.#cleanups.push(() => this.openstack('admin', 'service', 'delete', id));
    const [region] = await this.json<{ Region: string }[]>('admin', 'region', 'list');
    for (const interfaceName of ['public', 'internal', 'admin']) {
      await this.json('admin', 'endpoint', 'create', '--region', region?.Region ?? '', id, interfaceName, url);
    }
  }
}
