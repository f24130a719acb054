import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENTRIES, packageFiles } from './contents.ts';
import { packedModules } from './modules.ts';

const root = join(import.meta.dirname, '../..');
const modules = packedModules(root, ENTRIES);

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
}

/** The quoted specifier of each static and dynamic import. */
function specifiersOf(text: string): string[] {
  const found = text.matchAll(
    /^(?:import|export)\b[^'";=]*?\bfrom\s*'([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...found].map(([, from, sideEffectImport, dynamic]) => from ?? sideEffectImport ?? dynamic ?? '');
}

test('the package contains no tests, fixtures or testbeds', () => {
  const files = [...modules.map(({ path }) => path), ...packageFiles(root)];

  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => /\.ts$|test|fixture|fake|testbed|bench/.test(file))).toEqual([]);
});

test('imports resolve to modules in the package, to Node or to a dependency', () => {
  const paths = new Set([...modules.map(({ path }) => path), ...packageFiles(root)]);
  const { dependencies = {} } = manifest('package.json');
  const unresolved = modules.flatMap(({ path, text }) =>
    specifiersOf(text)
      .filter((specifier) =>
        specifier.startsWith('.') ? !paths.has(join(path, '..', specifier)) : !isKnown(specifier, dependencies),
      )
      .map((specifier) => `${path}: ${specifier}`),
  );

  expect(unresolved).toEqual([]);
});

function isKnown(specifier: string, dependencies: Readonly<Record<string, string>>): boolean {
  const [, library = ''] = /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier) ?? [];
  return isBuiltin(specifier) || dependencies[library] !== undefined;
}

test('the package depends on the workspace’s libraries, in the same versions', () => {
  const manifests = globSync('packages/*/package.json', { cwd: root }).map(manifest);
  const requiredRanges = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies).filter(([name]) => !name.startsWith('@fairway/')),
  );
  const { dependencies = {} } = manifest('package.json');

  expect(dependencies).toEqual(Object.fromEntries(requiredRanges));
  expect(requiredRanges.filter(([name, version]) => dependencies[name] !== version)).toEqual([]);
});

test('the package contains the files that its modules read', () => {
  const files = packageFiles(root);

  expect(files).toContain('packages/cli/bin/fairway.js');
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
