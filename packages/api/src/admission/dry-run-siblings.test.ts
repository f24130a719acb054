import { expect, test } from 'vitest';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { DRY_RUN_ANNOTATION, dryRunAnnotation, dryRunSiblings } from './dry-run-siblings.ts';

const cluster = aCluster({}, { name: 'demo', namespace: 'team' });
const pool = aNodePool({}, { name: 'general', namespace: 'team' });

function requested(annotation: string, dryRun = true) {
  return dryRunSiblings({ dryRun, object: aNodePool({}, { annotations: { [DRY_RUN_ANNOTATION]: annotation } }) });
}

test('reads the siblings from the annotation exactly as written', () => {
  const { clusters, pools } = requested(dryRunAnnotation({ clusters: [cluster], pools: [pool] }));

  expect([clusters[0]?.metadata.name, clusters[0]?.spec]).toEqual(['demo', cluster.spec]);
  expect([pools[0]?.metadata.name, pools[0]?.spec]).toEqual(['general', pool.spec]);
});

test.each([
  {
    annotation: dryRunAnnotation({ clusters: [cluster], pools: [] }),
    dryRun: false,
    reason: 'the request is not a dry run',
  },
  { annotation: '{', dryRun: true, reason: 'the annotation is not JSON' },
  { annotation: '{"clusters":[{"metadata":{},"spec":{}}],"pools":[]}', dryRun: true, reason: 'a cluster has no name' },
  {
    annotation: '{"clusters":[],"pools":[{"metadata":{"name":"a"},"spec":{"replicas":"many"}}]}',
    dryRun: true,
    reason: 'an object is not a pool',
  },
])('reads no siblings if $reason', ({ annotation, dryRun }) => {
  expect(requested(annotation, dryRun)).toEqual({ clusters: [], pools: [] });
});
