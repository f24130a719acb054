import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { TextSink } from '@fairway/cli/command/context';
import { runWith } from '@fairway/cli/command/run-program';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { serve } from '@fairway/service/serve/serve';
import { simulatedControlPlanes } from '@fairway/service/up/control-planes';
import { Home } from '@fairway/service/up/home';
import { bootHollowNodes } from '@fairway/service/up/simulated-cloud';
import { up } from '@fairway/service/up/up';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import type { ManagementCluster } from '../management/management-cluster.ts';
import { clientOf } from '../session/client-of.ts';

const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
/** No Fairway process has been killed here, so no other requests are in flight. */
const SETTLE_MS = 500;

/** A directory, a simulated cloud and its servers, which outlive the Fairway processes that use them. */
export interface Environment extends AsyncDisposable {
  readonly folder: string;
  readonly cloud: Cloud;
}

export async function startEnvironment(): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-backup-'));
  const machines = new Home(join(folder, 'machines'));
  machines.create();
  const cloud = createCloud(cloudOptions);
  await cloud.listen({ host: '127.0.0.1', port: 0 });
  machines.write(machines.cloudsYaml, cloud.cloudsYaml());
  // Sets the file as an operator would.
  process.env['OS_CLIENT_CONFIG_FILE'] = machines.cloudsYaml;
  const servers = bootHollowNodes(cloud, { home: machines, ...cloudOptions });
  servers.startNodes();
  return {
    folder,
    cloud,
    async [Symbol.asyncDispose]() {
      await servers.close();
      delete process.env['OS_CLIENT_CONFIG_FILE'];
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A running Fairway, and an administrator's client for its API. */
export interface MovableFairway extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly client: KubeClient;
}

/** `fairway up` on the cloud, with control planes in the home directory. */
export async function startLaptop(home: Home): Promise<MovableFairway> {
  const running = await up({
    ...cloudOptions,
    home,
    host: '127.0.0.1',
    port: 0,
    cloud: 'simulator',
    latency: 'none',
    defaultImage: undefined,
    version: '0.0.0',
    settleMs: SETTLE_MS,
  });
  return newMovableFairway(home.kubeconfig, () => running.stop());
}

/** `fairway serve` on a management cluster, as its ServiceAccount, with control planes in the home directory. */
export async function startReplica(
  home: Home,
  { admin, controllers }: ManagementCluster['kubeconfigs'],
): Promise<MovableFairway> {
  const running = await serve({
    ...cloudOptions,
    home,
    client: await clientOf(controllers),
    cloud: 'simulator',
    defaultImage: undefined,
    controlPlanes: simulatedControlPlanes,
    settleMs: SETTLE_MS,
  });
  return newMovableFairway(admin, () => running.stop());
}

async function newMovableFairway(kubeconfig: string, stop: () => Promise<void>): Promise<MovableFairway> {
  const client = await clientOf(kubeconfig);
  return {
    kubeconfig,
    client,
    async [Symbol.asyncDispose]() {
      client.close();
      await stop();
    },
  };
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const PASSPHRASE = 'correct horse battery staple';

/** Runs one of Fairway's commands to completion in this process, with a passphrase in its environment. */
export async function fairwayCommand(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = { FAIRWAY_BACKUP_PASSPHRASE: PASSPHRASE },
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  const sink = (stream: 'stdout' | 'stderr'): TextSink => ({
    isTerminal: false,
    write: (text) => {
      written[stream] += text;
    },
  });
  const code = await runWith(args, {
    env,
    cwd,
    clock: systemClock,
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    readStdin: () => Promise.resolve(''),
    ask: undefined,
    signal: new AbortController().signal,
    onHangup: () => () => {},
    exitWith: () => {},
  });
  return { code, ...written };
}
