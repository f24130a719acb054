import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Allowed imports of a package. Its tests may also import those in `ADDITIONAL_TEST_IMPORTS`. */
const LAYERS: Record<string, readonly string[]> = {
  base: [],
  kube: ['base'],
  apiserver: ['base', 'kube'],
  scheduling: ['kube'],
  openstack: ['base'],
  hollow: ['base', 'kube', 'apiserver', 'openstack', 'scheduling'],
  api: ['base', 'kube', 'apiserver'],
  identity: ['base', 'kube', 'apiserver', 'openstack', 'api'],
  addons: ['base', 'kube', 'apiserver', 'api'],
  'control-plane': ['base', 'kube', 'apiserver', 'api'],
  tenancy: ['base', 'kube', 'openstack', 'api', 'control-plane'],
  controllers: ['base', 'kube', 'openstack', 'scheduling', 'api', 'addons', 'control-plane', 'tenancy'],
  'cloud-provider': ['base', 'kube', 'apiserver', 'openstack', 'api', 'control-plane', 'tenancy'],
  csi: ['base', 'kube', 'openstack', 'tenancy', 'cloud-provider'],
  'external-autoscaler': ['base', 'kube', 'apiserver', 'api', 'tenancy', 'controllers'],
  gateway: ['base', 'kube', 'apiserver', 'openstack', 'api', 'identity', 'addons', 'control-plane', 'tenancy'],
  magnum: ['base', 'kube', 'apiserver', 'openstack', 'api', 'identity', 'gateway'],
  console: ['kube', 'api'],
  simulator: ['base', 'openstack'],
  service: [
    'base',
    'kube',
    'apiserver',
    'openstack',
    'scheduling',
    'hollow',
    'api',
    'identity',
    'addons',
    'control-plane',
    'tenancy',
    'controllers',
    'cloud-provider',
    'external-autoscaler',
    'gateway',
    'magnum',
    'simulator',
  ],
  cli: [
    'base',
    'kube',
    'apiserver',
    'openstack',
    'scheduling',
    'hollow',
    'api',
    'identity',
    'addons',
    'control-plane',
    'tenancy',
    'csi',
    'service',
  ],
};
const ADDITIONAL_TEST_IMPORTS: readonly string[] = [
  'simulator',
  'hollow',
  'apiserver',
  'openstack',
  'control-plane',
  'controllers',
  'cloud-provider',
  'gateway',
];
/** The simulator only uses the wire types of `openstack`, so that it does not share the client's mistakes. */
const ALLOWED_SIMULATOR_IMPORTS =
  /^@fairway\/(base\/(clock|clock-fake|log|testing\/seeded-random)|openstack\/types\/[a-z-]+)$/;

interface Import {
  readonly file: string;
  readonly packageName: string;
  readonly isTest: boolean;
  readonly target: string;
}

const imports: Import[] = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).flatMap((file) => {
  const source = readFileSync(join(root, file), 'utf8');
  const specifiers = source.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g);
  const [, packageName = ''] = file.split('/');
  const isTest = /\.test\.ts$|\/testing\//.test(file);
  return [...specifiers].map(([, target = '']) => ({ file, packageName: packageName, isTest, target }));
});

test('every package has a layer', () => {
  const packages = globSync('packages/*/package.json', { cwd: root }).map((file) => file.split('/')[1] ?? '');

  expect(packages.sort()).toEqual(Object.keys(LAYERS).sort());
});

test('packages import only packages that their layer allows', () => {
  const wrong = imports.filter(({ packageName, isTest, target }) => {
    const other = /^@fairway\/([^/]+)/.exec(target)?.[1];
    if (other === undefined || other === packageName) return false;
    return !LAYERS[packageName]?.includes(other) && !(isTest && ADDITIONAL_TEST_IMPORTS.includes(other));
  });

  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('packages are imported by name, not by path', () => {
  const wrong = imports.filter(({ file, packageName, target }) => {
    const isWithin = !relative(join('packages', packageName), join(file, '..', target)).startsWith('..');
    return target.startsWith('.') && !isWithin;
  });

  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('the simulator imports wire types, never the client', () => {
  const wrong = imports.filter(
    ({ packageName, isTest, target }) =>
      packageName === 'simulator' &&
      !isTest &&
      target.startsWith('@fairway/') &&
      !ALLOWED_SIMULATOR_IMPORTS.test(target),
  );

  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('the console imports only types from other packages, and nothing from Node', () => {
  const wrong = globSync('packages/console/src/**/*.{ts,tsx}', { cwd: root }).flatMap((file) => {
    if (file.endsWith('.test.ts')) return [];
    const source = readFileSync(join(root, file), 'utf8');
    const found = source.matchAll(/^import (?!type ).*['"](?:node:|@fairway\/).*$/gm);
    return [...found].map(([line]) => `${file}: ${line}`);
  });

  expect(wrong).toEqual([]);
});

test('every package has a description', () => {
  const silent = Object.keys(LAYERS).filter(
    (packageName) => globSync(`packages/${packageName}/README.md`, { cwd: root }).length === 0,
  );

  expect(silent).toEqual([]);
});

/**
 * Packages named in a README's sentence: those in backticks. After "every package except", all packages except for those in
 * backticks.
 */
function packagesIn(packageName: string, sentence: string): string[] {
  const named = [...sentence.matchAll(/`(?:@fairway\/)?([a-z-]+)(?:\/[a-z-]+)?`/g)].map(([, name = '']) => name);
  const all = Object.keys(LAYERS);
  return sentence.includes('every package except')
    ? all.filter((other) => other !== packageName && !named.includes(other))
    : [...new Set(named.filter((name) => all.includes(name)))];
}

test.each(Object.entries(LAYERS))('the README of %s lists its allowed imports', (packageName, layer) => {
  const text = readFileSync(join(root, 'packages', packageName, 'README.md'), 'utf8').replaceAll('\n', ' ');
  const sentence = /\b(?:May import|Imports)\b.*?\.(?= |$)/.exec(text)?.[0] ?? '';

  expect(sentence).not.toBe('');
  expect(packagesIn(packageName, sentence).sort()).toEqual([...layer].sort());
});

test('CONTRIBUTING.md lists packages before those that import them', () => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').replaceAll('\n', ' ');
  const sentence = /Imports only point upwards in this list:.*?;/.exec(text)?.[0] ?? '';
  const order = packagesIn('', sentence);
  const upwardImports = order.flatMap((packageName, index) =>
    (LAYERS[packageName] ?? []).filter((other) => other !== 'simulator' && !order.slice(0, index).includes(other)),
  );

  expect([...order, 'simulator'].sort()).toEqual(Object.keys(LAYERS).sort());
  expect(upwardImports).toEqual([]);
});
