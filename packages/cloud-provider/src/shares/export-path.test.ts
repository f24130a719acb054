import { expect, test } from 'vitest';
import { exportPath } from './export-path.ts';

const at = (path: string, more: object = {}) => ({ id: path, path, preferred: false, is_admin_only: false, ...more });

test.each([
  { locations: [], found: undefined },
  { locations: [at('10.0.0.10:/shares/a')], found: { server: '10.0.0.10', path: '/shares/a' } },
  { locations: [at('nas.example.com:/a')], found: { server: 'nas.example.com', path: '/a' } },
  {
    locations: [at('10.0.0.10:/a'), at('10.0.0.20:/a', { preferred: true })],
    found: { server: '10.0.0.20', path: '/a' },
  },
  { locations: [at('10.0.0.9:/a', { preferred: true, is_admin_only: true })], found: undefined },
  {
    locations: [at('[fd00::1]:/a', { preferred: true }), at('10.0.0.1:/a')],
    found: { server: '10.0.0.1', path: '/a' },
  },
  { locations: [at('\\\\10.0.0.10\\a')], found: undefined },
  { locations: [at('10.0.0.1:6789,10.0.0.2:6789:/volumes/a')], found: undefined },
  { locations: [at('10.0.0.1:/a b')], found: undefined },
])('$locations', ({ locations, found }) => {
  expect(exportPath(locations)).toEqual(found);
});
