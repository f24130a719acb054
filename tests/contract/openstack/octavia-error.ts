import { expect } from 'vitest';
import type { RawAnswer } from './contract-cloud.ts';

/** Expects a refusal by Octavia; `message` is a whole text or a pattern. */
export function expectOctaviaError(answer: RawAnswer, status: number, message: string | RegExp): void {
  expect(answer.json).toEqual({
    faultcode: status < 500 ? 'Client' : 'Server',
    faultstring: message instanceof RegExp ? expect.stringMatching(message) : message,
    debuginfo: null,
  });
  expect(answer.status).toBe(status);
}
