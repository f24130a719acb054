import { aCluster } from '@fairway/api/testing/objects';
import { silentLogger } from '@fairway/base/log';
import { expect, test } from 'vitest';
import { parentSubresource } from '../requests/parent-request.ts';
import { autoscalerConfigRequest, type IssueAutoscalerConfig } from './autoscaler-config-request.ts';

const STATUS = {
  address: 'fairway.example.com:8447',
  certificate: '',
  privateKey: '',
  certificateAuthority: '',
  expirationTimestamp: '2026-02-01T00:00:00Z',
};

async function ask(spec: object | undefined, mode: 'Managed' | 'External', isServed = true) {
  const lives: number[] = [];
  const issue: IssueAutoscalerConfig = async (_, validityMs) => {
    lives.push(validityMs / 1000);
    return STATUS;
  };
  const told: string[] = [];
  const events = { normal: (_: unknown, reason: string) => told.push(reason) };
  const request = autoscalerConfigRequest({
    issuer: () => (isServed ? issue : undefined),
    events: () => events as never,
    log: silentLogger,
  });
  const subresource = parentSubresource(request);
  const parent = aCluster({ autoscaler: { mode } });
  const user = { username: 'alice', groups: [] };
  const answer = await subresource.create?.({ body: { spec }, parent, user, dryRun: false } as never);
  return { answer, lives, told };
}

test('gets a certificate that lives as long as it asks for', async () => {
  const { answer, lives, told } = await ask({ expirationSeconds: 7200 }, 'External');

  expect(answer).toMatchObject({ status: STATUS });
  expect(lives).toEqual([7200]);
  expect(told).toEqual(['AutoscalerConfigIssued']);
});

test.each([{}, undefined])('lives a month where spec is %s', async (spec) => {
  const { lives } = await ask(spec, 'External');

  expect(lives).toEqual([30 * 86_400]);
});

test.each([
  {
    why: 'a life of a minute',
    spec: { expirationSeconds: 60 },
    mode: 'External',
    isServed: true,
    says: 'spec.expirationSeconds',
  },
  {
    why: 'a cluster that Fairway scales',
    spec: { expirationSeconds: 7200 },
    mode: 'Managed',
    isServed: true,
    says: 'spec.autoscaler.mode',
  },
  {
    why: 'where nothing is served',
    spec: { expirationSeconds: 7200 },
    mode: 'External',
    isServed: false,
    says: 'externalAutoscaler.listen',
  },
] as const)('is refused: $why', async ({ spec, mode, isServed, says }) => {
  await expect(ask(spec, mode, isServed)).rejects.toThrow(says);
});
