import { describe, expect, test } from 'vitest';
import { aBinding, aPolicy } from '../process/testing/policies.ts';
import { unsupportedWhenSimulated } from './unsupported-settings.ts';

const apiServer = { admissionPlugins: { enabled: [], disabled: [] } };

describe('a simulated control plane', () => {
  test('reports that it reads no policies from files', () => {
    expect(unsupportedWhenSimulated({ apiServer, limitPolicies: [aPolicy(), aBinding()] })).toEqual({
      limitPolicies: { mode: 'Objects', problem: 'simulated control planes do not read policies from files' },
    });
  });

  test('reports nothing about policies that are objects', () => {
    expect(unsupportedWhenSimulated({ apiServer })).toEqual({});
  });
});
