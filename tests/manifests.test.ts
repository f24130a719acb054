import { dryRunRow } from '@fairway/gateway/testing/manifests/dry-run-row';
import { expectedOf, outcomeOf } from '@fairway/gateway/testing/manifests/expected';
import { TABLE } from '@fairway/gateway/testing/manifests/table';
import { MIN_CEL_MINOR } from '@fairway/service/install/definitions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { startWebhookInFrontOfCluster, type WebhookInFrontOfCluster } from './manifests/webhook-in-front-of-cluster.ts';

const releases = findBinaries().filter(({ minor }) => minor >= MIN_CEL_MINOR);
const NONE = { version: `(skipped: there is no kube-apiserver 1.${MIN_CEL_MINOR} or later at hand)`, minor: 0 };
/** Other releases word some messages differently. */
const FIRST_MINOR_WITH_SAME_MESSAGES = 36;

describe.skipIf(releases.length === 0).each(releases.length > 0 ? releases : [NONE as (typeof releases)[number]])(
  'kube-apiserver $version with the CRDs and the webhook',
  (binaries) => {
    let cluster: WebhookInFrontOfCluster;
    beforeAll(async () => {
      cluster = await startWebhookInFrontOfCluster(binaries);
    });
    afterAll(() => cluster?.[Symbol.asyncDispose]());

    const comparable = (result: ReturnType<typeof expectedOf>) =>
      binaries.minor === FIRST_MINOR_WITH_SAME_MESSAGES ? result : { ...result, refused: result.refused.length > 0 };

    describe.each(TABLE)('$kind', ({ kind, rows }) => {
      test.each(rows)('$name', async (row) => {
        const outcome = await dryRunRow(cluster.client, cluster.ids, kind, row);

        expect(comparable(outcomeOf(row, outcome))).toEqual(comparable(expectedOf(row, 'kubernetes')));
      });
    });
  },
);
