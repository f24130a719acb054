import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
/** Files mentioned in the text; `<folder>` matches any directory. */
const files = [...text.matchAll(/`((?:packages|tools)\/[^`\s]+\.ts)`/g)].map(([, file = '']) => file);

test.each([...new Set(files)])('CONTRIBUTING.md names an existing file: %s', (file) => {
  const pattern = file.replace(/<\w+>/g, '*');

  expect(globSync(pattern, { cwd: root })).not.toEqual([]);
});

test('each service and each directory with a controller has the required file', () => {
  const controllers = readFileSync(join(root, 'packages/controllers/src/start.ts'), 'utf8');
  const services = readFileSync(join(root, 'packages/openstack/src/services.ts'), 'utf8');
  const declared = globSync('packages/controllers/src/*/controller.ts', { cwd: root });
  const clients = globSync('packages/openstack/src/*/service.ts', { cwd: root });
  const folderOf = (file: string) => file.split('/').at(-2);

  expect(declared.length).toBeGreaterThan(0);
  expect(declared.filter((file) => !controllers.includes(`./${folderOf(file)}/controller.ts`))).toEqual([]);
  expect(clients.length).toBeGreaterThan(0);
  expect(clients.filter((file) => !services.includes(`./${folderOf(file)}/service.ts`))).toEqual([]);
});
