import { expect, test } from 'vitest';
import { withoutFields } from './without-fields.ts';

const object = {
  data: { Corefile: 'a', 'config.conf': 'b', config: 'c' },
  metadata: { labels: { 'k8s-app': 'x', 'kubernetes.io/name': 'y' } },
  spec: {
    replicas: 2,
    template: { spec: { containers: [{ name: 'coredns', image: 'i', ports: [{ name: 'dns', containerPort: 53 }] }] } },
  },
};

test.each([
  { paths: ['.spec.replicas'], gone: ['"replicas"'] },
  { paths: ['.data.config.conf'], gone: ['"config.conf"'] },
  { paths: ['.data.config'], gone: ['"config":'] },
  { paths: ['.metadata.labels.kubernetes.io/name'], gone: ['kubernetes.io/name'] },
  { paths: ['.spec.template.spec.containers[name="coredns"].image'], gone: ['"image"'] },
  { paths: ['.spec.template.spec.containers[name="coredns"]'], gone: ['coredns'] },
  { paths: ['.spec', '.spec.replicas', '.data.Corefile'], gone: ['"spec"', 'Corefile'] },
])('removes the fields at $paths', ({ paths, gone }) => {
  const rest = JSON.stringify(withoutFields(object, paths));

  expect(gone.filter((text) => rest.includes(text))).toEqual([]);
  expect(JSON.stringify(object)).toContain('"replicas":2');
});

test('removes only the specified fields', () => {
  expect(withoutFields(object, ['.data.config'])).toEqual({
    ...object,
    data: { Corefile: 'a', 'config.conf': 'b' },
  });
});

test.each([
  { path: '', why: 'is empty' },
  { path: 'spec', why: 'is not a path' },
  { path: '.spec.paused', why: 'is not in the object' },
  { path: '.spec.replicas.more', why: 'is below a scalar value' },
  { path: '.__proto__.x', why: 'is an inherited property' },
  { path: '.spec.template.spec.containers[0]', why: 'uses an index' },
  { path: '.spec.template.spec.containers[name="other"].image', why: 'matches no item of the list' },
  { path: '.spec.template.spec.containers[containerPort=53,protocol="UDP"]', why: 'uses several keys' },
])('removes nothing for "$path", which $why', ({ path }) => {
  expect(withoutFields(object, [path])).toBeUndefined();
});
