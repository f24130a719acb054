import { useTestEngine } from '@fairway/controllers/testing/test-engine';
import { afterAll, beforeAll, describe } from 'vitest';
import { findBinaries, type KubernetesBinaries } from '../contract/kubernetes/binaries.ts';
import { type ManagementCluster, startManagementCluster } from '../management/management-cluster.ts';
import { openManagementTestEngine } from './management-test-engine.ts';

/** The controllers' suites, which are also the embedded engine's unit tests. A process can run them only once. */
const SUITES = [
  'lifecycle',
  'shapes',
  'faults',
  'pause',
  'handover',
  'marks',
  'missing-clusters',
  'missing-cluster-remains',
  'limits',
  'shared-limits',
  'api-faults',
];

/** Runs the controllers' tests on a management cluster of the release that `choose` selects. */
export function describeBehaviour(
  title: string,
  choose: (found: readonly KubernetesBinaries[]) => KubernetesBinaries | undefined,
): void {
  const binaries = choose(findBinaries());
  const version = binaries?.version ?? '(skipped: there is none)';
  describe.skipIf(binaries === undefined)(`${title} ${version}`, async () => {
    let cluster: ManagementCluster;
    beforeAll(async () => {
      if (binaries === undefined) return;
      cluster = await startManagementCluster(binaries);
      useTestEngine((clock) => openManagementTestEngine(cluster, clock));
    });
    afterAll(() => cluster?.[Symbol.asyncDispose]());
    for (const suite of SUITES) await import(`../../packages/controllers/src/behaviour/${suite}.test.ts`);
  });
}
