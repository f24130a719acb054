import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '@fairway/controllers/autoscaling/testing/situation';
import { SITUATIONS } from '@fairway/controllers/autoscaling/testing/situations';
import { UPSTREAM_DECISIONS } from '@fairway/controllers/autoscaling/testing/upstream-decisions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClusterAutoscaler } from './autoscaling-compared/cluster-autoscaler.ts';
import { runUpstream } from './autoscaling-compared/upstream.ts';
import { testReleases } from './process-runtime/releases.ts';

const program = findClusterAutoscaler(process.env);
const { offered } = await testReleases();
const missing = [
  ...(program === undefined ? ['no cluster-autoscaler is found, see testbed/cluster-autoscaler'] : []),
  ...(offered === undefined ? ['no binaries of Kubernetes 1.31 or later are found'] : []),
];
const skipped = missing.length > 0 ? ` (skipped: ${missing.join('; ')})` : '';
const title = `cluster-autoscaler decides as docs/tenants/autoscaling-compared.md has it, with Kubernetes ${offered?.version ?? 'none'}`;

/**
 * Runs upstream's binary against Fairway's externalgrpc service and a real control plane; situations.test.ts runs the
 * same scenarios with Fairway's autoscaler.
 */
describe.skipIf(missing.length > 0)(`${title}${skipped}`, () => {
  let folder: string;
  let outcomes: ReadonlyMap<string, Outcome>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-compared-'));
    outcomes = await runUpstream(SITUATIONS, { program: program ?? '', folder });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test.each(SITUATIONS.map(({ name, key }) => [name, key] as const))('%s', (_, key) => {
    expect(outcomes.get(key)).toEqual(UPSTREAM_DECISIONS.decisions[key]);
  });
});
