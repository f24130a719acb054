import type { Deployment, MutatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { Deployments, MutatingAdmissionPolicies, MutatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

type Spec = MutatingAdmissionPolicy['spec'];

const RULES = {
  resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
};

describeServers('MutatingAdmissionPolicies', (server, target) => {
  // The embedded server supports them regardless of its version.
  const hasPolicies = target.minor >= 36 || target.name === 'the embedded server';
  let namespace: string;

  beforeAll(async () => {
    namespace = await server().namespace();
  });

  const deployment = (label: string, labels: Record<string, string> = {}): Deployment => ({
    metadata: { name: 'web', namespace, labels: { policy: label, ...labels } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'nginx:1', env: [{ name: 'A', value: 'a' }] }] },
      },
    },
  });
  const create = (label: string, labels?: Record<string, string>) =>
    server().client.resource(Deployments).create(deployment(label, labels), { dryRun: true });

  /**
   * Creates a policy for objects labelled with the policy's name, and creates the object once a canary shows that the
   * policy is in effect.
   */
  async function outcomeOf(spec: Partial<Spec>): Promise<Deployment | string> {
    const name = server().name('policy');
    const { client } = server();
    const canary = {
      patchType: 'ApplyConfiguration',
      applyConfiguration: {
        expression: `has(object.metadata.labels.canary) ? Object{metadata: Object.metadata{annotations: {"seen": "yes"}}} : Object{}`,
      },
    };
    const skipped = { name: 'no-canary', expression: '!has(object.metadata.labels.canary)' };
    const matchConstraints = { ...RULES, objectSelector: { matchLabels: { policy: name } } };
    const policies = [
      { name, spec: { ...spec, matchConditions: [skipped, ...(spec.matchConditions ?? [])] } },
      { name: `${name}-canary`, spec: { mutations: [canary] } },
    ];
    for (const policy of policies) {
      await client.resource(MutatingAdmissionPolicies).create({
        metadata: { name: policy.name },
        spec: { matchConstraints, reinvocationPolicy: 'Never', ...policy.spec },
      });
      await client
        .resource(MutatingAdmissionPolicyBindings)
        .create({ metadata: { name: policy.name }, spec: { policyName: policy.name } });
    }
    await expect
      .poll(async () => (await create(name, { canary: 'yes' })).metadata.annotations?.['seen'], { timeout: 300_000 })
      .toBe('yes');
    try {
      return await create(name);
    } catch (error) {
      if (!isApiError(error)) throw error;
      return `${error.code} ${error.reason} ${error.message.replaceAll(name, 'NAME')}`;
    } finally {
      for (const policy of policies) {
        await client.resource(MutatingAdmissionPolicyBindings).delete(policy.name);
        await client.resource(MutatingAdmissionPolicies).delete(policy.name);
      }
    }
  }

  const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
  const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

  it.runIf(hasPolicies).each<{ reason: string; spec: Partial<Spec>; expected: object }>([
    {
      reason: 'sets a field',
      spec: { mutations: [apply('Object{spec: Object.spec{replicas: 7}}')] },
      expected: { spec: { replicas: 7 } },
    },
    {
      reason: 'checks what the user may do',
      spec: {
        matchConditions: [{ name: 'may', expression: "authorizer.requestResource.check('mutate').allowed()" }],
        mutations: [
          apply(`authorizer.serviceAccount("default", "nobody").path("/x").check("get").allowed()
            ? Object{spec: Object.spec{replicas: 3}} : Object{spec: Object.spec{replicas: 4}}`),
        ],
      },
      expected: { spec: { replicas: 4 } },
    },
    {
      reason: 'adds to a map',
      spec: { mutations: [apply('Object{metadata: Object.metadata{annotations: {"by": "policy"}}}')] },
      expected: { metadata: { annotations: { by: 'policy' } } },
    },
    {
      reason: 'merges a list by its keys',
      spec: {
        mutations: [
          apply(`Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
            containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{
              name: c.name,
              env: [Object.spec.template.spec.containers.env{name: "B", value: "b"}]
            })}}}}`),
        ],
      },
      expected: {
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'main',
                  image: 'nginx:1',
                  env: [
                    { name: 'A', value: 'a' },
                    { name: 'B', value: 'b' },
                  ],
                },
              ],
            },
          },
        },
      },
    },
    {
      reason: 'patches',
      spec: {
        mutations: [patch('[JSONPatch{op: "replace", path: "/spec/replicas", value: object.spec.replicas + 4}]')],
      },
      expected: { spec: { replicas: 5 } },
    },
    {
      reason: 'has variables, and several mutations in order',
      spec: {
        variables: [{ name: 'next', expression: 'object.spec.replicas + 1' }],
        mutations: [
          apply('Object{spec: Object.spec{replicas: variables.next}}'),
          apply('Object{spec: Object.spec{replicas: variables.next}}'),
        ],
      },
      expected: { spec: { replicas: 3 } },
    },
    {
      reason: 'has a condition that is not met',
      spec: {
        matchConditions: [{ name: 'x', expression: "object.metadata.name == 'other'" }],
        mutations: [apply('Object{spec: Object.spec{replicas: 7}}')],
      },
      expected: { spec: { replicas: 1 } },
    },
    {
      reason: 'fails, and is ignored',
      spec: {
        failurePolicy: 'Ignore',
        mutations: [apply("Object{metadata: Object.metadata{annotations: {'a': object.metadata.labels['none']}}}")],
      },
      expected: { spec: { replicas: 1 } },
    },
  ])('applies a policy that $reason', async ({ spec, expected }) => {
    expect(await outcomeOf(spec)).toMatchObject(expected);
  });

  it.runIf(hasPolicies).each<{ reason: string; spec: Partial<Spec>; expectedMessage: RegExp }>([
    {
      reason: 'fails',
      spec: {
        mutations: [apply("Object{metadata: Object.metadata{annotations: {'a': object.metadata.labels['none']}}}")],
      },
      expectedMessage: /^403 Invalid policy 'NAME' with binding 'NAME' denied request: /,
    },
    {
      reason: 'patches a missing field',
      spec: { mutations: [patch('[JSONPatch{op: "remove", path: "/spec/none"}]')] },
      expectedMessage: /^403 Invalid policy 'NAME' with binding 'NAME' denied request: JSON Patch: /,
    },
    {
      reason: 'produces an invalid object',
      spec: { mutations: [apply('Object{spec: Object.spec{replicas: -1}}')] },
      expectedMessage:
        /^422 Invalid Deployment\.apps "web" is invalid: spec\.replicas: Invalid value: -1: must be greater than or equal to 0$/,
    },
  ])('reports a policy that $reason', async ({ spec, expectedMessage }) => {
    expect(await outcomeOf(spec)).toMatch(expectedMessage);
  });

  it.runIf(hasPolicies).each<{ reason: string; spec: Partial<Spec>; expectedMessage: string }>([
    {
      reason: 'no mutation',
      spec: { mutations: [] },
      expectedMessage: 'spec.mutations: Required value: mutations must contain at least one item',
    },
    {
      reason: 'an unknown patch',
      spec: { mutations: [{ patchType: 'Magic' }] },
      expectedMessage:
        'spec.mutations[0].patchType: Unsupported value: "Magic": supported values: "ApplyConfiguration", "JSONPatch"',
    },
    {
      reason: 'a patch without an expression',
      spec: { mutations: [{ patchType: 'JSONPatch' }] },
      expectedMessage: 'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
    },
    {
      reason: 'an expression that cannot be parsed',
      spec: { mutations: [apply('Object{spec:')] },
      expectedMessage:
        'spec.mutations[0].applyConfiguration.expression: Invalid value: "Object{spec:": compilation failed: ERROR: ',
    },
  ])('refuses a policy with $reason', async ({ spec, expectedMessage }) => {
    const name = server().name('refused');
    const policy = { metadata: { name }, spec: { matchConstraints: RULES, reinvocationPolicy: 'Never', ...spec } };

    await expect(server().client.resource(MutatingAdmissionPolicies).create(policy)).rejects.toThrow(expectedMessage);
  });
});
