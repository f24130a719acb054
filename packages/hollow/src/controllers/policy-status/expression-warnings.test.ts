import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { HOLLOW_RESOURCES } from '../../control-plane/resources.ts';
import { expressionWarnings } from './expression-warnings.ts';

const matched = HOLLOW_RESOURCES.filter(({ group }) => group === 'apps').slice(0, 5);

function run(
  spec: ValidatingAdmissionPolicy['spec'],
  kinds: readonly ResourceDefinition[] = matched,
): { readonly steps: readonly number[]; readonly warnings: readonly ExpressionWarning[] } {
  const steps: number[] = [];
  const check = expressionWarnings(
    { metadata: { name: 'rule' }, spec },
    {
      matched: kinds,
      params: undefined,
    },
  );
  for (;;) {
    const step = check.next();
    if (step.done) return { steps, warnings: step.value };
    steps.push(step.value);
  }
}

test('yields one unit of work for each expression and kind', () => {
  const { steps } = run({ validations: [{ expression: 'true', messageExpression: "'no'" }] });

  expect(steps).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
});

test.each(['__proto__', 'constructor'])('allows a variable with the name %s', (name) => {
  const variables = [{ name, expression: "'a'" }];

  const { warnings } = run({ variables, validations: [{ expression: `variables.${name} == 'a'` }] });

  expect(warnings).toEqual([]);
});

test('reports what was not checked in a policy that exceeds the limit', () => {
  const expression = Array.from({ length: 400 }, () => "object.metadata.name != 'a'").join(' && ');
  const validations = Array.from({ length: 64 }, () => ({ expression }));

  const { steps, warnings } = run({ validations });

  const chars = steps.reduce((sum, step) => sum + step, 0);
  expect(chars).toBeLessThan(1_000_000 + 5 * expression.length);
  expect(warnings).toEqual([
    {
      fieldRef: expect.stringMatching(/^spec.validations\[\d+\].expression$/),
      warning: expect.stringMatching(/^not checked/),
    },
  ]);
});

test('limits the length of the warnings for a policy with many mistakes', () => {
  const expression = Array.from({ length: 300 }, (_, n) => `object.x${n} == 1`).join(' && ');
  const validations = Array.from({ length: 64 }, () => ({ expression }));

  const { warnings } = run({ validations });

  const chars = warnings.reduce((sum, { warning }) => sum + warning.length, 0);
  expect(chars).toBeLessThan(80 * 1024);
  expect(warnings.at(-1)?.warning).toMatch(/^not checked/);
});
