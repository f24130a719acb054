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
const missingForms = (text: Text) => [...new Set(formsOf(text).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();

it('marks English text consistently', () => {
  const own = globSync('**/*.tsx', { cwd: src }).filter((file) =>
    readFileSync(join(src, file), 'utf8').includes('lang="en"'),
  );

  expect(own).toEqual(['text/server-text.tsx']);
});

/** Technical terms that are the same in German. */
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
/** A single word, a name, or only placeholders. */
const IDENTICAL_TEXT = /^[^a-z]*$|^(?:\{\w+\}[ :·,]*)+$|^\S+$/;

it.each(catalogues)('$file has no untranslated German strings', ({ catalogue }) => {
  const sameInBoth = Object.keys(catalogue.en).filter((key) => {
    const [en = '', de = ''] = [catalogue.en, catalogue.de].map((texts) => formsOf(texts[key] ?? '').join(' '));
    return en === de && !IDENTICAL_TEXT.test(en) && !SAME_IN_BOTH.has(en);
  });

  expect(sameInBoth).toEqual([]);
});

it('finds the catalogues of all parts', () => {
  expect(files.length).toBeGreaterThan(3);
});

describe.each(catalogues)('$file', ({ catalogue }) => {
  it.each(LANGUAGES)('has every text in %s', (language) => {
    expect(Object.keys(catalogue[language]).sort()).toEqual(Object.keys(catalogue.en).sort());
    const empty = Object.entries(catalogue[language]).filter(([, text]) => formsOf(text).some((form) => form === ''));
    expect(empty).toEqual([]);
  });

  it.each(LANGUAGES)('has the same placeholders in %s as in English', (language) => {
    const missingTexts = (texts: Catalogue['en']) =>
      Object.entries(texts).map(([key, text]) => [key, missingForms(text)]);

    expect(Object.fromEntries(missingTexts(catalogue[language]))).toEqual(
      Object.fromEntries(missingTexts(catalogue.en)),
    );
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
