import { kindOf } from '@fairway/apiserver/kinds/builtin-kinds';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { PolicyProgram } from '../../admission/policy-program.ts';

const request: AdmissionRequest = {
  user: { username: 'somebody', groups: [] },
  operation: 'CREATE',
  resource: kindOf(ConfigMaps),
  subresource: '',
  namespace: 'default',
  name: 'some',
  dryRun: false,
  object: { metadata: { name: 'some' } },
  oldObject: undefined,
  warn: () => {},
};

test('limits the total cost of policies for a request, however many parameters they are run with', () => {
  const items = `[${Array.from({ length: 16 }, (_, at) => at).join(',')}]`;
  const expression = `${items}.all(a, ${items}.all(b, ${items}.all(c, a + b + c < params.data.size() + 1000)))`;
  const policy = (failurePolicy: string) =>
    new PolicyProgram({
      metadata: { name: 'rule' },
      spec: { failurePolicy, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression }] },
    });
  const authorizer = { authorize: () => ({ allowed: false, reason: '' }) };
  const params = { metadata: { name: 'limit' }, data: {} };
  const [counting, ignoring] = [policy('Fail'), policy('Ignore')];
  const resultOf = (program: PolicyProgram, judged = request) =>
    program.evaluate(judged, { authorizer, params }, () => {});

  let runs = 0;
  while (runs < 1000 && resultOf(counting).length === 0) runs++;

  expect(runs).toBeGreaterThan(10);
  expect(runs).toBeLessThan(500);
  expect(resultOf(counting)).toEqual([
    { reason: 'Invalid', message: 'expression resulted in error: operation cancelled: actual cost limit exceeded' },
  ]);
  expect(resultOf(ignoring)).toEqual([]);
  expect(resultOf(counting, { ...request }), 'another request').toEqual([]);
});

test('counts the cost of a variable towards the limit of the expression that uses it', () => {
  const items = `[${Array.from({ length: 36 }, (_, at) => at).join(',')}]`;
  const costly = `${items}.all(a, ${items}.all(b, ${items}.all(c, a + b + c < 1000)))`;
  const variables = ['x', 'y', 'z'].map((name) => ({ name, expression: costly }));
  const authorizer = { authorize: () => ({ allowed: false, reason: '' }) };
  const resultOf = (expression: string) =>
    new PolicyProgram({ metadata: { name: 'rule' }, spec: { variables, validations: [{ expression }] } }).evaluate(
      { ...request },
      { authorizer },
      () => {},
    );
  const costExceeded = 'expression resulted in error: operation cancelled: actual cost limit exceeded';

  expect(resultOf('variables.x && variables.y && variables.z')).toEqual([]);
  expect(resultOf(`${costly} && ${costly} && ${costly}`)).toMatchObject([{ message: costExceeded }]);
  expect(resultOf(`${costly} && variables.x && ${costly} && variables.y && ${costly}`)).toMatchObject([
    { message: costExceeded },
  ]);
});
