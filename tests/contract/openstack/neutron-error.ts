import { expect } from 'vitest';
import type { RawResponse } from './contract-cloud.ts';

/** Expects a refusal by Neutron; `message` is the full text or a pattern. */
export function expectNeutronError(
  response: RawResponse,
  status: number,
  type: string,
  message?: string | RegExp,
): void {
  expect(response.json).toEqual({
    NeutronError: {
      type,
      message: message instanceof RegExp ? expect.stringMatching(message) : (message ?? expect.any(String)),
      detail: '',
    },
  });
  expect(response.status).toBe(status);
}
