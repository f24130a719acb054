import { DEFINITION } from '@fairway/addons/node-pools/definition';
import { definitions } from '@fairway/service/install/definitions';
import { expect, it } from 'vitest';
import { describeServers } from './targets.ts';

/** An object that specifies what users of the CustomResourceDefinition may write. */
interface Refusal {
  readonly reason: string;
  readonly properties: object;
  /** The path after `spec.validation.openAPIV3Schema.`. */
  readonly message: string;
  /** The first minor version of Kubernetes that refuses it. */
  readonly since: number;
}

const range = {
  type: 'object',
  properties: { min: { type: 'integer', default: 1 }, max: { type: 'integer', default: 2 } },
  'x-kubernetes-validations': [{ rule: 'self.min < self.max', message: 'min below max' }],
};

const REFUSALS: readonly Refusal[] = [
  {
    reason: 'a description of metadata',
    properties: { metadata: { type: 'object', description: 'ours' } },
    message:
      'properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    since: 16,
  },
  {
    reason: 'a default that violates a rule',
    properties: { range: { ...range, default: { min: 3, max: 2 } } },
    message: 'properties[range].default: Invalid value: min below max',
    // The message was different in earlier releases.
    since: 34,
  },
  {
    reason: 'a default without a field that a rule needs, although the field has a default',
    properties: { range: { ...range, default: {} } },
    message: 'properties[range].default: Invalid value: "object": no such key: min evaluating rule: min below max',
    since: 31,
  },
];

describeServers('refused definitions', (server, target) => {
  for (const { reason, properties, message, since } of REFUSALS) {
    it.runIf(target.minor >= since)(`${reason} (since 1.${since})`, async () => {
      const group = `${server().name('g')}.example.com`;
      const versions = [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
      ];
      const body = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `pools.${group}` },
        spec: { group, scope: 'Namespaced', names: { plural: 'pools', kind: 'Pool' }, versions },
      };

      const refusal = await server().refusal('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        body,
      });

      expect(refusal).toMatchObject({ code: 422, reason: 'Invalid' });
      const where = `CustomResourceDefinition.apiextensions.k8s.io "pools.${group}" is invalid: spec.`;
      // Upstream reports the path in its own single-version form, the embedded server in the form that was written.
      const [start, rest] = refusal.message?.split(/(?:validation|versions\[0\]\.schema)\.openAPIV3Schema\./) ?? [];
      expect([start, rest]).toEqual([where, message]);
    });
  }
});

/** An API server estimates the cost of all rules in advance, since 1.25. */
describeServers('Fairway’s definitions', (server) => {
  it.each([
    ...definitions().map((definition) => ({ kind: definition.spec.names.kind, where: 'API', definition })),
    { kind: 'NodePool', where: "tenants' clusters", definition: DEFINITION },
  ])('accepts $kind in $where', async ({ definition }) => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
    const { status, json } = await server().raw('POST', path, { body: definition });

    expect({ status, json }).toMatchObject({ status: 201 });
  });
});
