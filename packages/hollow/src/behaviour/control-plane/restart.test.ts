import {
  FlowSchemas,
  Services,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
} from '@fairway/kube/kinds/resources';
import { expect, it } from 'vitest';
import { TestCluster } from '../../testing/test-cluster.ts';

it('a cluster starts even if a policy rejects its built-in objects, and creates them once allowed', async () => {
  const first = await TestCluster.start({ nodes: [] });
  const { store, client } = first;
  await client.resource(ValidatingAdmissionPolicies).create({
    metadata: { name: 'none' },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['flowcontrol.apiserver.k8s.io'],
            apiVersions: ['*'],
            resources: ['flowschemas'],
            operations: ['CREATE'],
          },
          { apiGroups: [''], apiVersions: ['*'], resources: ['services'], operations: ['CREATE'] },
        ],
      },
      validations: [{ expression: 'false' }],
    },
  });
  await client.resource(ValidatingAdmissionPolicyBindings).create({
    metadata: { name: 'none' },
    spec: { policyName: 'none', validationActions: ['Deny'] },
  });
  for (const name of ['probes', 'exempt']) await client.resource(FlowSchemas).delete(name);
  await client.resource(Services).delete('kubernetes', { namespace: 'default' });
  await first[Symbol.asyncDispose]();

  await using again = await TestCluster.start({ store, nodes: [] });
  const schemas = again.client.resource(FlowSchemas);
  await expect(schemas.get('exempt')).rejects.toThrow('not found');
  await again.client.resource(ValidatingAdmissionPolicyBindings).delete('none');

  await again.clock.advance(600_000);
  await schemas.get('probes');
  await schemas.get('exempt');
  await again.client.resource(Services).get('kubernetes', { namespace: 'default' });
});
