import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { systemClock } from '@fairway/base/clock';
import { runWith } from '@fairway/cli/command/run-program';
import { fakeContext } from '@fairway/cli/testing/fake-context';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { Home } from '@fairway/service/up/home';
import { type RunningFairway, up } from '@fairway/service/up/up';
import { vi } from 'vitest';
import { upCommand } from '../session/up-command.ts';

/** A Fairway in this process, and `fairway` commands run as its administrator. */
export class CommandSession {
  readonly folder: string;
  readonly home: Home;
  readonly client: KubeClient;
  readonly #fairway: RunningFairway;

  private constructor(home: Home, folder: string, fairway: RunningFairway, client: KubeClient) {
    this.home = home;
    this.folder = folder;
    this.#fairway = fairway;
    this.client = client;
  }

  /** Has a namespace `bare` without a cloud. */
  static async start(): Promise<CommandSession> {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-commands-'));
    const home = new Home(join(folder, 'home'));
    vi.stubEnv('OS_CLIENT_CONFIG_FILE', home.cloudsYaml);
    const fairway = await up(upCommand(home));
    const { transport } = await loadKubeConnection({ path: home.kubeconfig });
    const client = new KubeClient(new HttpsTransport(transport));
    await client.resource(Namespaces).create({ metadata: { name: 'bare' }, spec: {} });
    await eventually(
      client.resource(cloudProfiles),
      { namespace: 'default' },
      ([profile]) => profile?.status?.conditions?.some(({ status }) => status === 'True') === true,
    );
    return new CommandSession(home, folder, fairway, client);
  }

  async run(args: readonly string[], stdin = '') {
    const env = { KUBECONFIG: this.home.kubeconfig, HOME: this.folder, OS_CLIENT_CONFIG_FILE: this.home.cloudsYaml };
    const readStdin = () => Promise.resolve(stdin);
    const context = fakeContext({ env, cwd: this.folder, clock: systemClock, readStdin });
    return { code: await runWith(args, context), ...context.written };
  }

  async stop(): Promise<void> {
    vi.unstubAllEnvs();
    this.client.close();
    await this.#fairway.stop();
    rmSync(this.folder, { recursive: true });
  }
}

/** A manifest of a cluster. */
export const MANIFEST_CLUSTER = `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: { name: filed }
spec: { plan: free }
`;
