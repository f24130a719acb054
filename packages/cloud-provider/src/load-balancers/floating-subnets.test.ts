import { expect, test } from 'vitest';
import { isMatchingSubnet, subnetChoice } from './floating-subnets.ts';

// The rules for floating-subnet and floating-subnet-tags in cloud-provider-openstack (see its TestMatchSubnet, for
// example).
test.each([
  { name: 'ext-a', pattern: 'ext-a', is: true },
  { name: 'ext-a', pattern: 'ext', is: false },
  { name: 'ext-a', pattern: 'ext-*', is: true },
  { name: 'ext-a', pattern: 'ext-?', is: true },
  { name: 'ext-ab', pattern: 'ext-?', is: false },
  { name: 'ext.a', pattern: 'ext.a', is: true },
  { name: 'ext-a', pattern: 'ext.a', is: false },
  { name: 'ext-a', pattern: '!ext-*', is: false },
  { name: 'int-a', pattern: '!ext-*', is: true },
  { name: 'ext-a', pattern: '~ext-[ab]', is: true },
  { name: 'ext-ab', pattern: '~ext-[ab]', is: false },
  { name: 'ext-c', pattern: '!~ext-[ab]', is: true },
  { name: 'ext-b', pattern: '!~ext-[ab]', is: false },
  { name: 'a|b', pattern: '~a|b', is: false },
])('matches the name $name with "$pattern": $is', ({ name, pattern, is }) => {
  expect(isMatchingSubnet({ name, tags: [] }, { name: pattern, tags: undefined })).toBe(is);
});

test.each([
  { present: ['a'], tags: 'a,b', is: true },
  { present: ['c'], tags: 'a,b', is: false },
  { present: ['a'], tags: '&a,b', is: false },
  { present: ['a', 'b', 'c'], tags: '& a , b', is: true },
  { present: ['a'], tags: '!a,b', is: false },
  { present: ['c'], tags: '!a,b', is: true },
  { present: ['a'], tags: '!&a,b', is: true },
  { present: ['a', 'b'], tags: '!&a,b', is: false },
  { present: [], tags: 'a', is: false },
])('matches the tags $present with "$tags": $is', ({ present, tags, is }) => {
  expect(isMatchingSubnet({ name: 'x', tags: present }, { name: undefined, tags })).toBe(is);
});

test('requires both name and tags to match', () => {
  const choice = { name: 'ext-*', tags: 'gold' };

  expect(isMatchingSubnet({ name: 'ext-a', tags: ['gold'] }, choice)).toBe(true);
  expect(isMatchingSubnet({ name: 'ext-a', tags: [] }, choice)).toBe(false);
});

test.each(['~(', '~a{1001}', '~(((a{100}){100}){100})'])('refuses "%s" without trying it', (name) => {
  expect(() => subnetChoice({ name, tags: undefined }, 'annotation floating-subnet')).toThrow(
    /annotation floating-subnet: .* is not a valid pattern/,
  );
});

test('takes no longer for a hostile pattern than for an ordinary one', () => {
  const choice = { name: '~(a+)+b', tags: undefined };

  expect(isMatchingSubnet({ name: 'a'.repeat(255), tags: [] }, choice)).toBe(false);
});
