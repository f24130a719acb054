import { expect } from 'vitest';
import type { RawAnswer } from './contract-cloud.ts';

/** Expects a refusal by Neutron; `message` is a whole text or a pattern. */
export function expectNeutronError(answer: RawAnswer, status: number, type: string, message?: string | RegExp): void {
  expect(answer.json).toEqual({
    NeutronError: {
      type,
      message: message instanceof RegExp ? expect.stringMatching(message) : (message ?? expect.any(String)),
      detail: '',
    },
  });
  expect(answer.status).toBe(status);
}
