import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dryRunRow } from '../../testing/manifests/dry-run-row.ts';
import { expectedOf, outcomeOf } from '../../testing/manifests/expected.ts';
import type { RowKind } from '../../testing/manifests/row.ts';
import { TABLE } from '../../testing/manifests/table.ts';
import { createTestObjects, type Ids } from '../../testing/manifests/test-objects.ts';
import { FORMS, TEAM, TestGateway } from '../../testing/test-gateway.ts';

/** In real time, so that the cloud is fast enough for every request. */
const CLOCK_FACTOR = 1;
const OPERATORS: readonly RowKind[] = ['Plan', 'KubernetesRelease'];

describe.each(FORMS)('%s gateway: manifests', (form) => {
  let gateway: TestGateway;
  let ids: Ids;
  beforeAll(async () => {
    gateway = await TestGateway.start(form, undefined, CLOCK_FACTOR);
    await gateway.populate();
    ids = await createTestObjects(gateway.as('operator'), gateway.project(TEAM));
  });
  afterAll(() => gateway.close());

  describe.each(TABLE)('$kind', ({ kind, rows }) => {
    test.each(rows)('$name', async (row) => {
      const client = gateway.as(OPERATORS.includes(kind) ? 'operator' : 'alice');

      expect(outcomeOf(row, await dryRunRow(client, ids, kind, row))).toEqual(expectedOf(row, form));
    });
  });
});
