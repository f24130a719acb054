import { expect, it } from 'vitest';
import { namespaceName, parseNamespaceFormat } from './namespace-name.ts';

const ID = '4da237e4db7d4a397824cb6ea792548c';

it.each<{ format: string; name?: string; domain?: string; is: string }>([
  { format: '%i', is: ID },
  { format: 'p-%i', is: `p-${ID}` },
  { format: '%n-%i', name: 'Blue Team!', is: `blue-team-${ID}` },
  { format: '%d-%n-%i', name: 'a', domain: 'b', is: `b-a-${ID}` },
  { format: '%n-%i', name: '日本', is: ID },
  { format: '%n-%i', name: 'x'.repeat(64), is: ID },
  { format: '%n-%i', name: '%i', is: `i-${ID}` },
])('formats $name with $format as $is', ({ format, name = 'demo', domain = 'Default', is }) => {
  expect(namespaceName(parseNamespaceFormat(format), { id: ID, name, domain: { id: 'd', name: domain } })).toBe(is);
});

it.each([
  ['', 'must contain %i'],
  ['%n', 'must contain %i'],
  ['P-%i', 'may only contain'],
  ['%i.x', 'may only contain'],
  ['%i_', 'may only contain'],
  ['%x%i', 'may only contain'],
  ['-%i', 'must not start or end with -'],
])('rejects the format "%s": %s', (format, why) => {
  expect(() => parseNamespaceFormat(format)).toThrow(why);
});
