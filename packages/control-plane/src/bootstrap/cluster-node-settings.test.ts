import { expect, test } from 'vitest';
import { withClusterSettings } from './cluster-node-settings.ts';

test('tries the cluster’s mirrors before the operator’s, and uses its proxy instead of the operator’s', () => {
  const operators = {
    failCgroupV1: true,
    registryMirrors: { 'docker.io': ['https://ops.example.com'], 'quay.io': ['https://ops.example.com'] },
    proxy: { httpProxy: 'http://ops:3128', noProxy: ['.ops.example.com'] },
  };
  const cluster = {
    registryMirrors: [{ registry: 'docker.io', mirrors: [{ url: 'https://own.example.com' }] }],
    proxy: { httpsProxy: 'http://own:3128', noProxy: ['.own.example.com'] },
  };

  expect(withClusterSettings(operators, cluster)).toEqual({
    failCgroupV1: true,
    registryMirrors: [
      { registry: 'docker.io', mirrors: [{ url: 'https://own.example.com' }, { url: 'https://ops.example.com' }] },
      { registry: 'quay.io', mirrors: [{ url: 'https://ops.example.com' }] },
    ],
    proxy: { httpsProxy: 'http://own:3128', noProxy: ['.own.example.com', '.ops.example.com'] },
  });
});

test('uses the operator’s settings if the cluster has none', () => {
  const proxy = { httpProxy: 'http://ops:3128', noProxy: [] };

  expect(withClusterSettings({ proxy }, undefined)).toEqual({ proxy });
  expect(withClusterSettings(undefined, undefined)).toEqual({});
});
