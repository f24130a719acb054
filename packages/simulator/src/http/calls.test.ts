import { describe, expect, it } from 'vitest';
import { type CallRecord, Calls } from './calls.ts';

const record = (overrides: Partial<CallRecord> = {}): CallRecord => ({
  atMs: 0,
  requestId: 'req-1',
  userAgent: 'test',
  projectId: 'p',
  service: 'compute',
  method: 'GET',
  template: '/v2.1/servers',
  path: '/compute/v2.1/servers',
  status: 200,
  ...overrides,
});

describe('Calls', () => {
  it('counts calls and errors by client and route', () => {
    const calls = new Calls();

    calls.record(record());
    calls.record(record({ status: 503 }));
    calls.record(record({ status: 0 }));
    calls.record(record({ method: 'POST' }));

    expect(calls.total).toBe(4);
    expect(calls.counts().map(({ method, count, errors }) => ({ method, count, errors }))).toEqual([
      { method: 'GET', count: 3, errors: 2 },
      { method: 'POST', count: 1, errors: 0 },
    ]);
  });

  it('keeps its memory bounded and its total correct', () => {
    const calls = new Calls();

    for (let i = 0; i < 10_000; i++) calls.record(record({ userAgent: `agent-${i}`, requestId: `req-${i}` }));

    const counts = calls.counts();
    expect(counts.length).toBeLessThan(4200);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
    expect(calls.recentCalls()).toHaveLength(256);
    expect(calls.recentCalls().at(-1)?.requestId).toBe('req-9999');
  });
});
