import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { openStackFleetCloud } from '@fairway/hollow/node/openstack-fleet-cloud';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import type { ImageSpec } from '@fairway/simulator/config';
import { callTestbed, TESTBED } from '../hosts/testbed.ts';
import { type CommandResult, RunningFairway, run } from '../session/running-fairway.ts';

/** The entry for a user who sees the servers of all projects, like a hypervisor. */
const HYPERVISOR = 'simulator-admin';

const CLOUD_OPTIONS = { clock: systemClock, random: Math.random, log: silentLogger };

/** Images for which the testbed has a root file system. */
const IMAGES: readonly ImageSpec[] = [
  { id: '0d000000-0000-4000-8000-000000000001', name: 'debian-12-containerd', os: '12' },
  { id: '0d000000-0000-4000-8000-000000000002', name: 'debian-12', os: '12' },
].map(({ id, name, os }) => ({
  id,
  name,
  sizeBytes: 425 * 2 ** 20,
  minDiskGiB: 3,
  minRamMiB: 0,
  properties: { os_distro: 'debian', os_version: os, os_type: 'linux' },
}));

/** A simulated cloud whose servers really boot: each becomes a testbed host that boots from its user data. */
export class HostCloud {
  /** Name of Fairway's entry. */
  readonly entry = 'simulator';
  readonly cloudsYaml: string;
  /** Fairway's node settings for such hosts. */
  readonly nodeSettings: string;
  readonly #testbed: string;
  readonly #cloud: Cloud;
  readonly #hypervisor: ChildProcess;
  #output = '';

  private constructor(
    testbed: string,
    cloud: Cloud,
    hypervisor: ChildProcess,
    files: { readonly cloudsYaml: string; readonly nodeSettings: string },
  ) {
    this.#testbed = testbed;
    this.#cloud = cloud;
    this.#hypervisor = hypervisor;
    this.cloudsYaml = files.cloudsYaml;
    this.nodeSettings = files.nodeSettings;
    for (const stream of [hypervisor.stdout, hypervisor.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** `testbed` is the testbed's script, testbed/node's by default. */
  static async open(folder: string, testbed = TESTBED): Promise<HostCloud> {
    mkdirSync(folder, { recursive: true });
    const cloud = createCloud({ ...CLOUD_OPTIONS, config: { images: [...IMAGES] } });
    await cloud.listen({ host: '127.0.0.1', port: 0 });
    const cloudsYaml = join(folder, 'clouds.yaml');
    writeFileSync(cloudsYaml, cloud.cloudsYaml());
    const hypervisor = spawn(testbed, ['follow', HYPERVISOR], {
      env: { ...process.env, OS_CLIENT_CONFIG_FILE: cloudsYaml },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const opened = new HostCloud(testbed, cloud, hypervisor, {
      cloudsYaml,
      nodeSettings: join(folder, 'node-settings.yaml'),
    });
    try {
      await opened.#checkHosts();
    } catch (error) {
      await opened.close();
      throw error;
    }
    writeFileSync(opened.nodeSettings, opened.#call('settings'));
    return opened;
  }

  #call(...args: readonly string[]): string {
    return callTestbed(this.#testbed, ...args);
  }

  /** Starts `fairway up` on this cloud, with real control planes that its hosts can reach. */
  startFairway(home: string, ...options: readonly string[]): Promise<RunningFairway> {
    process.env['OS_CLIENT_CONFIG_FILE'] = this.cloudsYaml;
    const flags = {
      listen: '127.0.0.1:0',
      cloud: this.entry,
      'node-settings': this.nodeSettings,
      'control-plane': 'process',
      'control-plane-address': this.gateway,
    };
    const own = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    return RunningFairway.start(home, ...own, ...options);
  }

  /** Logs of the hypervisor and the hosts, for a failure message. */
  diagnosis(): string {
    return [this.#output, ...this.hosts().map((host) => this.#call('diagnose', host))].join('\n');
  }

  /** Names of existing hosts. */
  hosts(): readonly string[] {
    return this.#call('servers')
      .split('\n')
      .flatMap((line) => line.split(' ')[1] ?? []);
  }

  /** The user data of the server with this name, as stored by the cloud. */
  userDataOf(host: string): Promise<string> {
    return this.#asHypervisor(async (client) => {
      const servers = openStackFleetCloud(client);
      const id = (await serversByName(client)).get(host);
      const found = id && (await servers.describe(id, new AbortController().signal));
      if (!found) throw new Error(`the cloud has no server ${host}`);
      return Buffer.from(found.userData ?? '', 'base64').toString();
    });
  }

  /** IDs of the servers by name. */
  servers(): Promise<ReadonlyMap<string, string>> {
    return this.#asHypervisor(serversByName);
  }

  /** Volumes of the cloud. */
  async volumes(): Promise<readonly Volume[]> {
    const tenant = openCloud(readCloudsYaml(this.cloudsYaml), this.entry, CLOUD_OPTIONS);
    try {
      return await Array.fromAsync(tenant.client().blockStorage.volumes.list());
    } finally {
      await tenant.close();
    }
  }

  /** Links that a host uses to find its attached disks. */
  async disksOf(host: string): Promise<readonly string[]> {
    const { stdout } = await this.on(host, 'ls', '/dev/disk/by-id');
    return stdout.split('\n').filter((line) => line !== '');
  }

  /** Size of a volume's disk in bytes, as seen by a host. */
  async diskSize(host: string, volumeId: string): Promise<number> {
    const disk = `/dev/disk/by-id/virtio-${volumeId.slice(0, 20)}`;
    return Number((await this.on(host, 'blockdev', '--getsize64', disk)).stdout);
  }

  async #asHypervisor<T>(call: (client: OpenStackClient) => Promise<T>): Promise<T> {
    const admin = openCloud(readCloudsYaml(this.cloudsYaml), HYPERVISOR, CLOUD_OPTIONS);
    try {
      return await call(admin.client());
    } finally {
      await admin.close();
    }
  }

  /** The hosts' requests to the proxy and their outcome, each once. */
  proxied(): readonly string[] {
    return this.#call('proxied')
      .split('\n')
      .filter((line) => line !== '');
  }

  /** Runs a command on a host. */
  on(host: string, ...command: readonly string[]): Promise<CommandResult> {
    return run(this.#testbed, ['exec', host, ...command]);
  }

  /** Address of this machine that hosts can reach. */
  get gateway(): string {
    return this.#call('address').trim();
  }

  /** The remaining hosts after the hypervisor has checked the cloud's servers again. */
  async waitForHosts(): Promise<readonly string[]> {
    // A check in progress may have started earlier.
    await this.#checkHosts();
    await this.#checkHosts();
    return this.hosts();
  }

  /** Resolves at the end of the hypervisor's next check. */
  #checkHosts(): Promise<void> {
    const count = () => this.#output.split('looked at the servers').length;
    const before = count();
    return this.#waitForOutput(() => count() > before);
  }

  /** Cuts a host's power, and restores it. */
  reset(host: string): void {
    this.#call('reset', host);
  }

  /** Cuts a host's power while packages are being installed on it, and restores it. Resolves with its name. */
  async cutPowerDuringBoot(pool: string): Promise<string> {
    const booting = () => new RegExp(`^(${pool}-\\w+) .* boots`, 'm').exec(this.#output)?.[1];
    await this.#waitForOutput(() => booting() !== undefined);
    await this.#waitForOutput(() => this.hosts().includes(booting() ?? ''));
    const host = booting() ?? '';
    await run(this.#testbed, ['reset', host, '^Unpacking']);
    return host;
  }

  /** Checks again after each output of the hypervisor; rejects with its output if it exits. */
  async #waitForOutput(predicate: () => boolean): Promise<void> {
    const exited = once(this.#hypervisor, 'exit').then(() => {
      throw new Error(`the hypervisor has ended:\n${this.#output}`);
    });
    exited.catch(() => undefined);
    while (!predicate()) await Promise.race([once(this.#hypervisor.stdout ?? this.#hypervisor, 'data'), exited]);
  }

  /** Everything that the testbed currently has running or stored on this machine. */
  leftoverProcesses(): string {
    return this.#call('residue');
  }

  /** Boots a host manually, and kills the booting process with its children, like a power failure. */
  async bootAndKillAfter(name: string, ms: number): Promise<void> {
    const flags = ['--address', '10.1.15.250/20', '--gateway', '10.1.0.1', '--user-data', this.nodeSettings];
    const boot = spawn(this.#testbed, ['boot', name, ...flags], { stdio: 'ignore', detached: true });
    const exited = once(boot, 'exit');
    const timer = setTimeout(() => boot.pid && process.kill(-boot.pid, 'SIGKILL'), ms);
    await exited;
    clearTimeout(timer);
  }

  end(name: string): void {
    this.#call('end', name);
  }

  /** Hosts and network are removed with the hypervisor. */
  async close(): Promise<void> {
    if (this.#hypervisor.exitCode === null) {
      const exited = once(this.#hypervisor, 'exit');
      this.#hypervisor.kill('SIGTERM');
      await exited;
    }
    await this.#cloud.close();
  }
}

async function serversByName(client: OpenStackClient): Promise<ReadonlyMap<string, string>> {
  const servers = await Array.fromAsync(openStackFleetCloud(client).list(new AbortController().signal));
  return new Map(servers.map(({ name, id }) => [name, id]));
}
