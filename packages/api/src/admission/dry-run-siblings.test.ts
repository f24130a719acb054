import { expect, test } from 'vitest';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { DRY_RUN_ANNOTATION, dryRunAnnotation, dryRunSiblings } from './dry-run-siblings.ts';

const cluster = aCluster({}, { name: 'demo', namespace: 'team' });
const pool = aNodePool({}, { name: 'general', namespace: 'team' });

function asked(annotation: string, dryRun = true) {
  return dryRunSiblings({ dryRun, object: aNodePool({}, { annotations: { [DRY_RUN_ANNOTATION]: annotation } }) });
}

test('what is created together is read back as it was sent', () => {
  const { clusters, pools } = asked(dryRunAnnotation({ clusters: [cluster], pools: [pool] }));

  expect([clusters[0]?.metadata.name, clusters[0]?.spec]).toEqual(['demo', cluster.spec]);
  expect([pools[0]?.metadata.name, pools[0]?.spec]).toEqual(['general', pool.spec]);
});

test.each([
  { annotation: dryRunAnnotation({ clusters: [cluster], pools: [] }), dryRun: false, reason: 'it is no dry run' },
  { annotation: '{', dryRun: true, reason: 'it is no JSON' },
  { annotation: '{"clusters":[{"metadata":{},"spec":{}}],"pools":[]}', dryRun: true, reason: 'it has no name' },
  {
    annotation: '{"clusters":[],"pools":[{"metadata":{"name":"a"},"spec":{"replicas":"many"}}]}',
    dryRun: true,
    reason: 'it is no pool',
  },
])('nothing is read if $reason', ({ annotation, dryRun }) => {
  expect(asked(annotation, dryRun)).toEqual({ clusters: [], pools: [] });
});
