import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { TransportError } from '@fairway/kube/client/transport';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testReleases } from './process-runtime/releases.ts';
import { clientOf } from './session/client-of.ts';
import { RunningFairway, run } from './session/running-fairway.ts';

const { offered } = await testReleases();
const releaseTitle =
  offered === undefined ? '(skipped: no binaries are found)' : `with Kubernetes ${offered.described}`;
const inDefault = { namespace: 'default' };

describe.skipIf(offered === undefined)(`reset of a cluster with a real control plane ${releaseTitle}`, () => {
  let parent: string;
  let fairway: RunningFairway;

  const cli = (...args: readonly string[]) => run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
  const up = () => RunningFairway.start(join(parent, 'home'), '--listen', '127.0.0.1:0', '--control-plane', 'process');
  const tenant = async (name: string) => {
    const path = join(parent, name);
    await writeFile(path, (await cli('kubeconfig', 'demo')).stdout);
    return clientOf(path);
  };

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-reset-'));
    fairway = await up();
  });
  afterAll(async () => {
    await fairway?.stop();
    await rm(parent, { recursive: true, force: true });
  });

  test('keeps the endpoint, empties the cluster and refuses earlier credentials, even if Fairway is killed partway through', async () => {
    expect(await cli('cluster', 'create', 'demo', '--flavor', 'b3-8', '--nodes', '1')).toMatchObject({ code: 0 });
    const before = await tenant('before.kubeconfig');
    await before.resource<ConfigMap>(ConfigMaps).create({ metadata: { name: 'secret-plans', ...inDefault } });
    const api = await clientOf(fairway.kubeconfig);
    const { status: previousStatus } = await api.resource(clusters).get('demo', { namespace: fairway.namespace });
    api.close();

    expect(await cli('cluster', 'reset', 'demo', '--yes', '--no-wait')).toMatchObject({ code: 0 });
    await fairway.kill();
    fairway = await up();
    const newClient = await clientOf(fairway.kubeconfig);
    const isReset = ({ status }: Cluster) => {
      expect(status?.reset?.phase).toBe('Complete');
      expect(status).toMatchObject({ phase: 'Ready', endpoint: previousStatus?.endpoint, readySummary: '1/1' });
      return true;
    };
    await eventuallyObject(newClient.resource(clusters), { namespace: fairway.namespace, name: 'demo' }, isReset);
    newClient.close();

    const after = await tenant('after.kubeconfig');
    const { items } = await after.resource<ConfigMap>(ConfigMaps).list(inDefault);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['kube-root-ca.crt']);
    await expect(before.resource<ConfigMap>(ConfigMaps).list(inDefault)).rejects.toThrow(TransportError);
    after.close();
    before.close();
    const homes = await readdir(join(parent, 'home'), { recursive: true });
    expect(homes.filter((path) => path.endsWith('member/snap/db'))).toHaveLength(1);
  });
});
