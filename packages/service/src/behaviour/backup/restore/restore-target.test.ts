import { authKinds } from '@fairway/apiserver/auth/auth-kinds';
import { MANAGEMENT_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { TestGateway } from '@fairway/gateway/testing/test-gateway';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireTarget } from '../../../backup/restore/restore-target.ts';

const { signal } = new AbortController();

test('reports a cluster without the kinds, and the command that installs them', async () => {
  const server = new ApiServer({
    store: new MemoryStore(),
    resources: authKinds(MANAGEMENT_KINDS),
    definitions: builtinDefinitions(),
    clock: systemClock,
    version: { gitVersion: 'v1.34.0', major: '1', minor: '34' },
  });
  const client = new KubeClient(server.transport({ username: 'admin', groups: ['system:masters'] }));

  await expect(requireTarget(client, 'https://plain', signal)).rejects.toMatchObject({
    message: 'https://plain does not serve clusters of fairway.dev/v1alpha1',
    advice: expect.stringContaining('fairway install') as string,
  });
  await server.close();
});

describe('a restore', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start();
    await gateway.populate();
  });
  afterAll(() => gateway.close());

  test('requires administrator permissions', async () => {
    await expect(requireTarget(gateway.as('operator'), 'https://fairway', signal)).resolves.toBeUndefined();
  });

  test.each(['alice', 'rita', 'nobody'] as const)(
    'is refused for %s, with an error before anything is written',
    async (who) => {
      await expect(requireTarget(gateway.as(who), 'https://fairway', signal)).rejects.toThrow(
        /may not|forbidden|cannot/,
      );
    },
  );
});
