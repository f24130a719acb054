import { expect, it } from 'vitest';
import { CelAuthorizer } from './cel-authorizer.ts';
import { environmentWith } from './cel-environment.ts';

const environment = environmentWith(['authorizer']);
const authorizer = new CelAuthorizer(
  { authorize: () => ({ allowed: true, reason: 'because' }) },
  { username: 'alice', groups: ['team'] },
  {},
);

it.each([
  'authorizer.user',
  'authorizer.authorizer',
  'authorizer.requestResource.authorizer',
  'authorizer.group("").group',
  'authorizer.path("/x").check("get").decision',
  'dyn(authorizer.path("/x").check("get")).decision',
])('does not expose functions beyond upstream’s: %s', (expression) => {
  expect(() => environment.parse(expression)({ authorizer })).toThrow('No such key');
});

it('exposes a decision through its functions', () => {
  expect(environment.parse('authorizer.path("/x").check("get").reason()')({ authorizer })).toBe('because');
});
