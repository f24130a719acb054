import { expect, test } from 'vitest';
import { splitTarget } from './split-target.ts';

test.each([
  ['/api', '/api', []],
  ['/api?', '/api', []],
  ['/api?a=1&b=%20', '/api', ['a=1', 'b= ']],
  ['/api??dryRun=All', '/api', ['?dryRun=All']],
  ['/api?a=b?c', '/api', ['a=b?c']],
])('splits %s into path %s and parameters %j', (target, path, parameters) => {
  const parts = splitTarget(target);

  expect(parts.path).toBe(path);
  expect([...parts.query].map(([name, value]) => `${name}=${value}`)).toEqual(parameters);
});
