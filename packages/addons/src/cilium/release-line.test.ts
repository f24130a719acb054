import { expect, test } from 'vitest';
import { isOfReleaseLine } from './release-line.ts';

test.each([
  { version: '1.19.0', line: '1.19', is: true },
  { version: '1.19.8', line: '1.19', is: true },
  { version: '1.18.14', line: '1.19', is: false },
  { version: '1.9.3', line: '1.19', is: false },
  { version: '1.20.2', line: '1.19', is: true },
  { version: '1.21.0-rc.1', line: '1.20', is: true },
  { version: 'latest', line: '1.20', is: true },
])('$version belongs to release line $line or later: $is', ({ version, line, is }) => {
  expect(isOfReleaseLine(version, line)).toBe(is);
});
