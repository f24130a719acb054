import { API_VERSION } from '@fairway/api/group';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const EARLIER = '2026-01-01T00:00:00Z';
const LAST = '2026-01-02T00:00:00Z';
const LATER = '2026-01-03T00:00:00Z';
const MISTYPED = '2162-01-01T00:00:00Z';

/** Annotations alone, as "kubectl annotate" writes them. */
describe.each(FORMS)('a one-time request, by its annotation, at the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('demo');
    await gateway.createPool('general', { clusterName: 'demo' });
    await makeMachine();
    const status = { status: { healing: { requests: [{ machine: 'general-a', value: LAST }] } } };
    await writeStatus('general', status);
    const maintained = { status: { maintenance: { requested: LAST } } };
    await gateway.call('operator', 'PATCH', `${NAMESPACED}/clusters/demo/status`, maintained);
  });
  afterAll(() => gateway.close());

  const NAMESPACED = `/apis/${API_VERSION}/namespaces/${TEAM}`;

  async function makeMachine(): Promise<void> {
    const spec = {
      clusterName: 'demo',
      nodePoolName: 'general',
      flavor: 'b3-8',
      image: 'Ubuntu 24.04',
      version: '1.36.4',
    };
    const metadata = { name: 'general-a', namespace: TEAM };
    const object = { apiVersion: API_VERSION, kind: machines.kind, metadata, spec } as unknown as Machine;
    await gateway.as('operator').resource(machines).create(object);
  }

  async function writeStatus(name: string, value: object): Promise<void> {
    const options = { namespace: TEAM, subresource: 'status' };
    await gateway.as('operator').resource(nodePools).patch(name, { type: 'merge', value }, options);
  }

  function annotate(path: string, name: string, value: string) {
    return gateway.call('operator', 'PATCH', path, { metadata: { annotations: { [`fairway.dev/${name}`]: value } } });
  }

  test.each([
    { on: 'clusters/demo', name: 'maintenance-requested' },
    { on: 'machines/general-a', name: 'repair-requested' },
  ])('has no effect, with a warning, when it is earlier than the last: $name on $on', async ({ on, name }) => {
    const path = `${NAMESPACED}/${on}`;
    expect(await annotate(path, name, LAST)).toMatchObject({ status: 200, warnings: '' });
    expect(await annotate(path, name, EARLIER)).toMatchObject({
      status: 200,
      warnings: expect.stringContaining(
        `metadata.annotations[fairway.dev/${name}] (${EARLIER}): is not later than the last request, ${LAST}: nothing is done`,
      ),
    });
    expect(await annotate(path, name, LATER)).toMatchObject({ status: 200, warnings: '' });
  });

  test.each([
    { on: `${NAMESPACED}/clusters/demo`, name: 'rotate-credentials' },
    { on: `${NAMESPACED}/clusters/demo`, name: 'retry-requested' },
    { on: `${NAMESPACED}/nodepools/general`, name: 'retry-requested' },
    { on: `${NAMESPACED}/machines/general-a`, name: 'repair-requested' },
    { on: `/apis/${API_VERSION}/${kubernetesReleases.plural}/1.36`, name: 'retry-requested' },
  ])('is refused with a mistyped year, after which none would have an effect: $name on $on', async ({ on, name }) => {
    const { status, body } = await annotate(on, name, MISTYPED);

    expect(status).toBe(422);
    expect(body).toMatchObject({
      details: {
        causes: [
          {
            field: `metadata.annotations[fairway.dev/${name}]`,
            message: expect.stringContaining('is more than a day in the future'),
          },
        ],
      },
    });
  });
});
