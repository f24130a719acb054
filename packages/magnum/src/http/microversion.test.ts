import { describe, expect, test } from 'vitest';
import { negotiate, versionHeaders } from './microversion.ts';

describe('the API version of a request', () => {
  test.each([
    [undefined, 1],
    ['container-infra latest', 14],
    ['container-infra 1.9', 9],
    ['container-infrastructure-management 1.14', 14],
    ['container-infrastructure 1.1', 1],
  ])('header %s selects minor version %i', (header, minor) => {
    expect(negotiate(header)).toEqual({ minor });
  });

  test.each([
    ['container-infra 1.15', /maximum version 1.14/],
    ['container-infra 1.0', /Minimum version 1.1/],
    ['container-infra 2.1', /must be of the form 1.N/],
    ['compute 1.9', /Invalid service type/],
    ['1.9', /Invalid service type/],
    ['container-infra 1.9 more', /Invalid service type/],
  ])('is refused: %s', (header, problem) => {
    expect(negotiate(header)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test('is returned in the response', () => {
    expect(versionHeaders(9)['openstack-api-version']).toBe('container-infrastructure-management 1.9');
  });
});
