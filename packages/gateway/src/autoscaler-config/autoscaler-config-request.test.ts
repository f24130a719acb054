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

async function requestConfig(spec: object | undefined, mode: 'Managed' | 'External', isServed = true) {
  const validSeconds: number[] = [];
  const issue: IssueAutoscalerConfig = async (_, validityMs) => {
    validSeconds.push(validityMs / 1000);
    return STATUS;
  };
  const warnings: string[] = [];
  const events = { normal: (_: unknown, reason: string) => warnings.push(reason) };
  const request = autoscalerConfigRequest({
    issuer: () => (isServed ? issue : undefined),
    events: () => events as never,
    log: silentLogger,
  });
  const subresource = parentSubresource(request);
  const parent = aCluster({ autoscaler: { mode } });
  const user = { username: 'alice', groups: [] };
  const answer = await subresource.create?.({ body: { spec }, parent, user, dryRun: false } as never);
  return { answer, lives: validSeconds, reported: warnings };
}

test('is valid for the requested time', async () => {
  const { answer, lives, reported } = await requestConfig({ expirationSeconds: 7200 }, 'External');

  expect(answer).toMatchObject({ status: STATUS });
  expect(lives).toEqual([7200]);
  expect(reported).toEqual(['AutoscalerConfigIssued']);
});

test.each([{}, undefined])('is valid for a month if spec is %s', async (spec) => {
  const { lives } = await requestConfig(spec, 'External');

  expect(lives).toEqual([30 * 86_400]);
});

test.each([
  {
    why: 'a validity of one minute',
    spec: { expirationSeconds: 60 },
    mode: 'External',
    isServed: true,
    says: 'spec.expirationSeconds',
  },
  {
    why: 'a cluster that Fairway itself scales',
    spec: { expirationSeconds: 7200 },
    mode: 'Managed',
    isServed: true,
    says: 'spec.autoscaler.mode',
  },
  {
    why: 'a Fairway without an externalgrpc server',
    spec: { expirationSeconds: 7200 },
    mode: 'External',
    isServed: false,
    says: 'externalAutoscaler.listen',
  },
] as const)('refuses $why', async ({ spec, mode, isServed, says }) => {
  await expect(requestConfig(spec, mode, isServed)).rejects.toThrow(says);
});
