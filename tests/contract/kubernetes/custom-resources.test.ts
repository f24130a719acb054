import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { expect, it, vi } from 'vitest';
import type { ContractServer } from './contract-server.ts';
import { describeServers } from './targets.ts';

const GROUP = 'strict.example.com';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(plural: string, kind: string, properties: Record<string, Schema>): CustomResourceDefinition {
  const openAPIV3Schema: Schema = { type: 'object', properties };
  return {
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

async function serve(server: ContractServer, crd: CustomResourceDefinition): Promise<void> {
  await server.client.resource(CustomResourceDefinitions).create(crd);
  const path = `/apis/${GROUP}/v1/${crd.spec.names.plural}`;
  await vi.waitFor(async () => expect((await server.raw('GET', path)).status).toBe(200), { timeout: 30_000 });
}

describeServers('custom resources', (server, target) => {
  it('have conditions of their definitions as they are written', async () => {
    await serve(server(), definition('gadgets', 'Gadget', {}));

    const patched = await server().raw('PATCH', `${CRDS}/gadgets.${GROUP}/status`, {
      headers: { 'content-type': 'application/json-patch+json' },
      body: '[{"op":"add","path":"/status/conditions","value":[{"message":"patched"}]}]',
    });

    expect(patched.status).toBe(200);
    const { conditions } = patched.json.status as { conditions: { message: string }[] };
    expect(conditions.filter(({ message }) => message === 'patched')).toEqual([
      expect.objectContaining({ type: '', status: '', message: 'patched' }),
    ]);
  });

  it.runIf(target.minor >= 25)('have the description of metadata in OpenAPI (since 1.25)', async () => {
    await serve(server(), definition('gizmos', 'Gizmo', { spec: { type: 'object' } }));

    await vi.waitFor(
      async () => {
        const { json } = await server().raw('GET', `/openapi/v3/apis/${GROUP}/v1`);
        expect(json['components']).toMatchObject({
          schemas: {
            'com.example.strict.v1.Gizmo': {
              properties: { metadata: { description: expect.stringMatching(/^Standard object's metadata\./) } },
            },
          },
        });
      },
      { timeout: 30_000 },
    );
  });
});
