import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Catalogue, fill, LANGUAGES, type Text } from './texts.ts';

const src = join(import.meta.dirname, '..');
const files = globSync('**/{texts,*-texts}.ts', { cwd: src }).filter((file) => file !== 'text/texts.ts');
const catalogues = await Promise.all(
  files.map(async (file) => {
    const module = (await import(join(src, file))) as Readonly<Record<string, Catalogue>>;
    return { file, catalogue: Object.values(module)[0] as Catalogue };
  }),
);

const formsOf = (text: Text): string[] => (typeof text === 'string' ? [text] : [text.one, text.other]);
const gapsOf = (text: Text) => [...new Set(formsOf(text).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();

it('marks what is in English by itself in one way', () => {
  const own = globSync('**/*.tsx', { cwd: src }).filter((file) =>
    readFileSync(join(src, file), 'utf8').includes('lang="en"'),
  );

  expect(own).toEqual(['text/server-text.tsx']);
});

/** Words of the field that German has too. */
const SAME_IN_BOTH: ReadonlySet<string> = new Set([
  'ConfigMap ConfigMaps',
  'DaemonSet DaemonSets',
  'Deployment Deployments',
  'Flavors: {names}',
  'Floating IPs',
  'Floating IPs: {message}',
  'Images: {names}',
  'Ingress Ingresses',
  'Job Jobs',
  'Kubernetes {minor}',
  'Kubernetes {version}',
  'Pool {number}',
  'ReplicaSet ReplicaSets',
  'Secret Secrets',
  'Service Services',
  'StatefulSet StatefulSets',
  'Volumes: {message}',
  'Zone {zone}',
  'kube-proxy: {mode}',
  '{amount} GiB',
  '{count} ms',
  '{count} s',
  '{page} · Fairway',
  '{type}, {progress} %',
  '{what} in {namespace}',
]);
/** A word, a name, or nothing but what is filled in. */
const SAME = /^[^a-z]*$|^(?:\{\w+\}[ :·,]*)+$|^\S+$/;

it.each(catalogues)('$file has no English left among its German texts', ({ catalogue }) => {
  const left = Object.keys(catalogue.en).filter((key) => {
    const [en = '', de = ''] = [catalogue.en, catalogue.de].map((texts) => formsOf(texts[key] ?? '').join(' '));
    return en === de && !SAME.test(en) && !SAME_IN_BOTH.has(en);
  });

  expect(left).toEqual([]);
});

it('finds the texts of all parts', () => {
  expect(files.length).toBeGreaterThan(3);
});

describe.each(catalogues)('$file', ({ catalogue }) => {
  it.each(LANGUAGES)('has all texts in %s', (language) => {
    expect(Object.keys(catalogue[language]).sort()).toEqual(Object.keys(catalogue.en).sort());
    const empty = Object.entries(catalogue[language]).filter(([, text]) => formsOf(text).some((form) => form === ''));
    expect(empty).toEqual([]);
  });

  it.each(LANGUAGES)('fills in the same in %s as in English', (language) => {
    const gaps = (texts: Catalogue['en']) => Object.entries(texts).map(([key, text]) => [key, gapsOf(text)]);

    expect(Object.fromEntries(gaps(catalogue[language]))).toEqual(Object.fromEntries(gaps(catalogue.en)));
  });
});

it.each([
  { text: '{name} is {state}', values: { name: 'demo', state: 'ready' }, language: 'en', filled: 'demo is ready' },
  { text: { one: '{count} node', other: '{count} nodes' }, values: { count: 1 }, language: 'en', filled: '1 node' },
  { text: { one: '{count} node', other: '{count} nodes' }, values: { count: 0 }, language: 'en', filled: '0 nodes' },
  { text: '{count} nodes', values: { count: 12_345 }, language: 'en', filled: '12,345 nodes' },
  { text: '{count} Knoten', values: { count: 12_345 }, language: 'de', filled: '12.345 Knoten' },
  { text: '{missing}', values: {}, language: 'en', filled: '{missing}' },
  { text: '{a}', values: { a: '{b}', b: 'no' }, language: 'en', filled: '{b}' },
] as const)('$filled', ({ text, values, language, filled }) => {
  expect(fill(text, values, language)).toBe(filled);
});
