import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valuesOfFile } from '@fairway/cli/configuration/sources';
import { loadAll } from 'js-yaml';
import { expect, test } from 'vitest';
import { deployFiles } from './render.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const files = deployFiles();

interface Object {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template?: { readonly metadata: { readonly labels: object } };
    readonly selector?: object;
  };
}

const plain = loadAll(files['manifests/serve.yaml'] ?? '') as Object[];

function objectOfKind(kind: string): Object {
  const object = plain.find((each) => each.kind === kind);
  if (object === undefined) throw new Error(`there is no ${kind}`);
  return object;
}

test('deploy/ contains the manifests and the chart of this source (npm run generate:deploy)', () => {
  const stored = globSync('{manifests,helm}/**/*.*', { cwd: deploy });

  expect(stored.toSorted((a, b) => a.localeCompare(b))).toEqual(
    Object.keys(files).toSorted((a, b) => a.localeCompare(b)),
  );
  for (const [path, text] of Object.entries(files)) {
    expect({ path, text: readFileSync(join(deploy, path), 'utf8') }).toEqual({ path, text });
  }
});

test('manifests contain a valid configuration', () => {
  const text = objectOfKind('ConfigMap').data?.['fairway.yaml'] ?? '';
  const { found, problems } = valuesOfFile('/etc/fairway/config/fairway.yaml', text);

  expect(problems).toEqual([]);
  expect(found.get('gateway.webhookURL')?.value).toBe('https://fairway-gateway.fairway-system.svc:8443');
  expect(found.get('listen')?.value).toEqual({ host: '0.0.0.0', port: 8443 });
});

test('the Service selects the pods', () => {
  expect(objectOfKind('Deployment').spec?.template?.metadata.labels).toMatchObject(
    objectOfKind('Service').spec?.selector ?? { none: '' },
  );
});

test('the Magnum API has its own Service, for the same pods', () => {
  const magnum = loadAll(files['manifests/magnum.yaml'] ?? '') as Object[];

  expect(magnum.map(({ kind }) => kind)).toEqual(['Service', 'NetworkPolicy']);
  expect(magnum[0]?.spec?.selector).toEqual(objectOfKind('Service').spec?.selector);
  expect(plain.filter(({ kind }) => kind === 'Service')).toHaveLength(1);
});

test('the chart contains no incomplete expression', () => {
  const wrong = Object.entries(files).filter(([, text]) => /[⟦⟧]/.test(text));

  expect(wrong.map(([path]) => path)).toEqual([]);
});
