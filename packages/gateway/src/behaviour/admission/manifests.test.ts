import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../../testing/manifests/ask.ts';
import { answeredTo, expectedOf } from '../../testing/manifests/expected.ts';
import type { RowKind } from '../../testing/manifests/row.ts';
import { TABLE } from '../../testing/manifests/table.ts';
import { type Ids, makeWorld } from '../../testing/manifests/world.ts';
import { FORMS, TEAM, TestGateway } from '../../testing/test-gateway.ts';

/** In real time, so that the cloud is fast enough for every request. */
const SPEED = 1;
const OPERATORS: readonly RowKind[] = ['Plan', 'KubernetesRelease'];

describe.each(FORMS)('%s gateway', (form) => {
  let gateway: TestGateway;
  let ids: Ids;
  beforeAll(async () => {
    gateway = await TestGateway.start(form, undefined, SPEED);
    await gateway.populate();
    ids = await makeWorld(gateway.as('operator'), gateway.project(TEAM));
  });
  afterAll(() => gateway.close());

  describe.each(TABLE)('$kind', ({ kind, rows }) => {
    test.each(rows)('$name', async (row) => {
      const client = gateway.as(OPERATORS.includes(kind) ? 'operator' : 'alice');

      expect(answeredTo(row, await ask(client, ids, kind, row))).toEqual(expectedOf(row, form));
    });
  });
});
