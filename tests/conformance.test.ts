import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inParallel } from '@fairway/base/in-parallel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCluster, type TestedCluster } from '../tools/conformance/clusters.ts';
import type { Outcome } from '../tools/conformance/report.ts';
import { listTests, runTest } from '../tools/conformance/run-test.ts';
import { findTestBinaries } from '../tools/conformance/test-binaries.ts';

const binaries = findTestBinaries();
const missing = binaries === undefined ? ' (skipped: "testbed/kubernetes/current build-tests" makes them)' : '';

/** Some quick tests from each area; `npm run conformance` runs all of them. */
const FOCUS = [
  'Watchers should be able to restart watching from the last resource version',
  'Discovery should validate PreferredVersion|should support aggregated discovery interface \\[',
  'ResourceQuota should manage the lifecycle of a ResourceQuota|should support ValidatingAdmissionPolicy API operations',
  'should support CronJob API operations|Job should delete a job|tasks sometimes fail and are locally restarted',
  'Deployment should have a working scale subresource|should validate Replicaset Status endpoints',
  'should block an eviction until the PDB is updated|Should recreate evicted statefulset',
  'should run through the lifecycle of a ServiceAccount|should support SubjectReview API operations',
  'LimitRange should list, patch and delete|should manage the lifecycle of an event',
  'should have at least two untainted nodes',
  'Services should complete a service status lifecycle|should support ServiceCIDR API operations',
  'EndpointSlices for Pods matching a Service|should mirror a custom Endpoints resource',
  'pod generation should start at 1|reject invalid sysctls|fail the pod if init containers fail on a RestartNever',
  'termination message from file|subpath with absolute path|resource.k8s.io/v1 ResourceClaim \\[',
  'run through the lifecycle of a PV and a PVC|lifecycle of a VolumeAttachment',
].join('|');
const LIMIT_SECONDS = 90;

describe.skipIf(binaries === undefined)(`Kubernetes conformance tests${missing}`, () => {
  let folder: string;
  let cluster: TestedCluster;
  const outcomes: Outcome[] = [];

  beforeAll(async () => {
    if (binaries === undefined) return;
    folder = await mkdtemp(join(tmpdir(), 'fairway-conformance-'));
    cluster = await openCluster('hollow', binaries.folder);
    const place = { binaries: binaries, kubeconfig: cluster.kubeconfig, folder };
    const names = await listTests(place, `(?:${FOCUS}).*\\[Conformance\\]`, '\\[Serial\\]|\\[Slow\\]|\\[Disruptive\\]');
    await inParallel(names, 3, async (name) => void outcomes.push(await runTest(place, name, LIMIT_SECONDS)));
  });
  afterAll(async () => {
    await cluster?.close();
    await rm(folder ?? '', { recursive: true, force: true });
  });

  it('pass on a hollow cluster', () => {
    expect(outcomes.filter(({ state }) => state !== 'passed')).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(27);
  });
});
