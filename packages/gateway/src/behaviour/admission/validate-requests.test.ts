import { API_VERSION } from '@fairway/api/group';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const EARLIER_TIME = '2026-01-01T00:00:00Z';
const LAST_TIME = '2026-01-02T00:00:00Z';
const LATER_TIME = '2026-01-03T00:00:00Z';
const MISTYPED_CLUSTER = '2162-01-01T00:00:00Z';

/** Writes only annotations, as "kubectl annotate" does. */
describe.each(FORMS)('a one-time request by annotation, at the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('demo');
    await gateway.createPool('general', { clusterName: 'demo' });
    await createMachine();
    const status = { status: { healing: { requests: [{ machine: 'general-a', value: LAST_TIME }] } } };
    await writeStatus('general', status);
    const maintenanceStatus = { status: { maintenance: { requested: LAST_TIME } } };
    await gateway.call('operator', 'PATCH', `${NAMESPACE_PATH}/clusters/demo/status`, maintenanceStatus);
  });
  afterAll(() => gateway.close());

  const NAMESPACE_PATH = `/apis/${API_VERSION}/namespaces/${TEAM}`;

  async function createMachine(): Promise<void> {
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
  ])('has no effect if it is earlier than the last one, and returns a warning: $name on $on', async ({ on, name }) => {
    const path = `${NAMESPACE_PATH}/${on}`;
    expect(await annotate(path, name, LAST_TIME)).toMatchObject({ status: 200, warnings: '' });
    expect(await annotate(path, name, EARLIER_TIME)).toMatchObject({
      status: 200,
      warnings: expect.stringContaining(
        `metadata.annotations[fairway.dev/${name}] (${EARLIER_TIME}): is not later than the last request, ${LAST_TIME}: nothing is done`,
      ),
    });
    expect(await annotate(path, name, LATER_TIME)).toMatchObject({ status: 200, warnings: '' });
  });

  test.each([
    { on: `${NAMESPACE_PATH}/clusters/demo`, name: 'rotate-credentials' },
    { on: `${NAMESPACE_PATH}/clusters/demo`, name: 'retry-requested' },
    { on: `${NAMESPACE_PATH}/nodepools/general`, name: 'retry-requested' },
    { on: `${NAMESPACE_PATH}/machines/general-a`, name: 'repair-requested' },
    { on: `/apis/${API_VERSION}/${kubernetesReleases.plural}/1.36`, name: 'retry-requested' },
  ])('is refused if its year is mistyped and would block all later requests: $name on $on', async ({ on, name }) => {
    const { status, body } = await annotate(on, name, MISTYPED_CLUSTER);

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
