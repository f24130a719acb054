import { describe, expect, it } from 'vitest';
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  pathSegmentNameErrors,
  portNameErrors,
  qualifiedNameErrors,
} from './names.ts';

const LONG = 'a'.repeat(64);

describe('names', () => {
  it.each([
    ['label', dns1123LabelErrors, ['a', '0', 'a-b', '1a-9'], ['', 'A', '-a', 'a-', 'a_b', 'a.b', LONG, 'ä', 'a\n']],
    [
      'subdomain',
      dns1123SubdomainErrors,
      ['a', 'a.b', '0.0-1', LONG],
      ['', 'a..b', '.a', 'a.', 'A.b', 'a.'.repeat(127) + 'a'],
    ],
    ['DNS-1035 label', dns1035LabelErrors, ['a', 'a1', 'a-1'], ['', '1a', 'a-', 'A', 'a.b', LONG]],
    [
      'qualified name',
      qualifiedNameErrors,
      ['a', 'A_b.c-d', 'x.io/a', '1'],
      ['', '/a', 'x/', 'X/a', 'a/b/c', '-a', LONG],
    ],
    ['label value', labelValueErrors, ['', 'a', 'A.b_c-1'], ['-a', 'a-', 'a b', 'a/b', LONG]],
    ['path segment', pathSegmentNameErrors, ['a:b', 'system:x', '...'], ['.', '..', 'a/b', 'a%b']],
    ['port name', portNameErrors, ['http', 'p-1'], ['', '80', 'a--b', '-a', 'Http', 'a'.repeat(16)]],
  ])('accepts valid and refuses invalid values: %s', (_, errorsOf, good, bad) => {
    const accepted = [...good, ...bad].filter((name) => errorsOf(name).length === 0);
    expect(accepted).toEqual(good);
  });

  it('returns upstream’s error messages', () => {
    expect(dns1123LabelErrors('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(dns1123LabelErrors('a.b')).toEqual(['must not contain dots']);
    expect(qualifiedNameErrors('')).toEqual([
      'name part must be non-empty',
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ]);
  });
});
