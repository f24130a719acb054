import { expect } from 'vitest';
import type { RawResponse } from './contract-cloud.ts';

/** Expects a refusal by Octavia; `message` is the full text or a pattern. */
export function expectOctaviaError(response: RawResponse, status: number, message: string | RegExp): void {
  expect(response.json).toEqual({
    faultcode: status < 500 ? 'Client' : 'Server',
    faultstring: message instanceof RegExp ? expect.stringMatching(message) : message,
    debuginfo: null,
  });
  expect(response.status).toBe(status);
}
