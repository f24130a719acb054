import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import {
  beginClusterRotation,
  completeClusterRotation,
  endClusterRotation,
  switchSigners,
} from '@fairway/control-plane/pki/cluster-rotation';
import type { ControlPlaneState, ReviewToken } from '@fairway/control-plane/runtime';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pidsOf } from './process-runtime/local-processes.ts';
import { isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';

const { offered } = await testReleases();
const described = offered ? `with Kubernetes ${offered.described}` : '(skipped: no binaries are found)';

/** Accepts tokens that contain the name of their holder. */
const reviewFor =
  (userPrefix: string): ReviewToken =>
  (token) =>
    Promise.resolve(token.startsWith('of-') ? { username: `${userPrefix}:${token}`, groups: [] } : undefined);

describe.skipIf(offered === undefined)(`an API server with token review ${described}`, () => {
  let parent: string;
  let cluster: ProcessCluster;
  let requests = 0;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-tokens-'));
    cluster = await ProcessCluster.open(parent, offered?.assets(parent) ?? '', offered?.version ?? '');
    cluster.spec = { ...cluster.spec, reviewToken: reviewFor('keystone') };
  });
  afterAll(async () => {
    await cluster?.runtime.close();
    await rm(parent, { recursive: true, force: true });
  });

  const apiServer = () => pidsOf(cluster.folder)['kube-apiserver'];
  const files = () =>
    ['config/token-webhook.yaml', 'pki/token-webhook.key', 'pki/token-webhook-client.key'].filter((path) =>
      existsSync(join(cluster.folder, path)),
    ).length;

  /** The API server's authentication result for a new token: its user, or undefined. */
  async function reviewed(tokenPrefix = 'of-'): Promise<string | undefined> {
    return reviewResponse(await cluster.waitForState(isRunning), tokenPrefix);
  }

  async function reviewResponse(state: ControlPlaneState, tokenPrefix = 'of-'): Promise<string | undefined> {
    const client: KubeClient = await cluster.connect(state);
    const apiVersion = 'authentication.k8s.io/v1';
    const response = await client.raw({
      method: 'POST',
      path: `/apis/${apiVersion}/tokenreviews`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion, kind: 'TokenReview', spec: { token: `${tokenPrefix}${requests++}` } }),
    });
    const { status } = JSON.parse(await response.text()) as { status: { user: { username?: string } } };
    client.close();
    return status.user.username?.replace(/\d+$/, '');
  }

  test('authenticates the users of tokens', async () => {
    expect(await reviewed()).toBe('keystone:of-');
    expect(await reviewed('forged-')).toBeUndefined();
  });

  test('uses Fairway’s current token reviewer, without a restart', async () => {
    const before = apiServer();
    cluster.spec = { ...cluster.spec, reviewToken: reviewFor('another') };

    expect(await reviewed()).toBe('another:of-');
    expect(apiServer()).toBe(before);
  });

  test('uses Fairway’s current token reviewer even if no binaries exist to start it with', async () => {
    const running = await cluster.waitForState(isRunning);
    const { spec } = cluster;
    const missing = await cluster.runtime.ensure({ ...spec, version: '1.99.0', reviewToken: reviewFor('third') });
    expect(missing.phase).toBe('Failed');
    expect(await reviewResponse(running)).toBe('third:of-');

    await cluster.runtime.ensure({ ...spec, version: '1.99.0', reviewToken: undefined });
    expect(await reviewResponse(running)).toBeUndefined();
    expect(await reviewed()).toBe('another:of-');
  });

  test('uses the token reviewer of the next Fairway that manages it, without a restart', async () => {
    const before = apiServer();
    await cluster.runtime.detach();
    cluster.runtime = cluster.openRuntime();

    expect(await reviewed()).toBe('another:of-');
    expect(apiServer()).toBe(before);
  });

  test.each<{ stage: string; step: (pki: ClusterPki) => ClusterPki | Promise<ClusterPki> }>([
    { stage: 'Trusting', step: (pki) => beginClusterRotation(pki, 'now', systemClock) },
    { stage: 'Renewing', step: (pki) => switchSigners(pki, systemClock) },
    { stage: 'Completing', step: (pki) => completeClusterRotation(pki, systemClock) },
    { stage: 'Stable', step: (pki) => endClusterRotation(pki, systemClock) },
  ])('continues at stage $stage of a credential rotation', async ({ step }) => {
    cluster.spec = { ...cluster.spec, pki: await step(cluster.spec.pki) };

    expect(await reviewed()).toBe('another:of-');
  });

  test('stops token review when it is disabled, after one restart, and leaves nothing behind', async () => {
    const before = apiServer();
    expect(files()).toBe(3);
    cluster.spec = { ...cluster.spec, reviewToken: undefined };

    expect(await reviewed()).toBeUndefined();
    const after = apiServer();
    expect(after).not.toBe(before);
    expect(await reviewed()).toBeUndefined();
    expect(apiServer()).toBe(after);
    expect(files()).toBe(0);
  });
});
