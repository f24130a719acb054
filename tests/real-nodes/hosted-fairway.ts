import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { TestRelease } from '../process-runtime/releases.ts';
import { clientOf } from '../session/client-of.ts';
import type { RunningFairway } from '../session/running-fairway.ts';
import { HostCloud } from './host-cloud.ts';

/** `fairway up` in its own directory, on a cloud whose servers boot as hosts. */
export class HostedFairway implements AsyncDisposable {
  readonly folder: string;
  readonly cloud: HostCloud;
  readonly fairway: RunningFairway;
  /** A client for Fairway's API. */
  readonly api: KubeClient;

  private constructor(folder: string, cloud: HostCloud, fairway: RunningFairway, api: KubeClient) {
    this.folder = folder;
    this.cloud = cloud;
    this.fairway = fairway;
    this.api = api;
  }

  /** Control planes use the release's binaries; hosts are testbed/node's by default. */
  static async start(release: TestRelease | undefined, testbed?: string): Promise<HostedFairway> {
    const folder = await mkdtemp(join(tmpdir(), 'fairway-hosted-'));
    process.env['KUBEBUILDER_ASSETS'] = release?.folder;
    let cloud: HostCloud | undefined;
    let fairway: RunningFairway | undefined;
    try {
      cloud = await HostCloud.open(join(folder, 'cloud'), testbed);
      fairway = await cloud.startFairway(join(folder, 'home'));
      return new HostedFairway(folder, cloud, fairway, await clientOf(fairway.kubeconfig));
    } catch (error) {
      await fairway?.stop();
      await cloud?.close();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.api.close();
    await this.fairway.stop();
    await this.cloud.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
