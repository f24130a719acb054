import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { list, record } from '../types/collections.ts';
import { Server } from '../types/server.ts';
import { OpenStackError } from './openstack-error.ts';
import { parseBody } from './parse-body.ts';
import { ResponseTooLargeError } from './response-too-large-error.ts';

const CALL = { service: 'compute', method: 'GET', template: '/servers/detail' } as const;
const Servers = z.object({ servers: list(Server) });
const Quota = z.object({ quota: record(z.number()) });

function read(schema: z.ZodType, body: string): unknown {
  return parseBody(schema, { status: 200, headers: {}, body }, CALL);
}

function refusalOf(schema: z.ZodType, body: string): unknown {
  try {
    return read(schema, body);
  } catch (error) {
    return error;
  }
}

describe('a response body', () => {
  it('is parsed with the schema', () => {
    expect(read(Quota, '{"quota":{"pool":3,"member":-1}}')).toEqual({ quota: { pool: 3, member: -1 } });
    expect(read(z.object({ ids: list(z.coerce.string()) }), '{"ids":[1,"b"]}')).toEqual({ ids: ['1', 'b'] });
  });

  it.each([
    { reason: 'an item', schema: Servers, body: { servers: [null] }, where: 'servers.0' },
    { reason: 'a value', schema: Quota, body: { quota: { pool: 3, member: 'many' } }, where: 'quota.member' },
    { reason: 'an object instead of a list', schema: Servers, body: { servers: {} }, where: 'servers' },
    { reason: 'a list instead of an object', schema: Quota, body: { quota: [] }, where: 'quota' },
  ])('is rejected with the position of the error: $reason', ({ schema, body, where }) => {
    const refusal = refusalOf(schema, JSON.stringify(body));

    expect(refusal).toMatchObject({ kind: 'unavailable', status: 200 });
    expect(refusal).toHaveProperty('message', expect.stringContaining(`documented API: ${where}: Invalid input`));
  });

  it.each([
    { reason: 'items', schema: Servers, part: '{},', body: (parts: string) => `{"servers":[${parts}{}]}` },
    { reason: 'numbers', schema: Servers, part: '0,', body: (parts: string) => `{"servers":[${parts}0]}` },
    { reason: 'values', schema: Quota, part: '"%":{},', body: (parts: string) => `{"quota":{${parts}"last":{}}}` },
  ])('yields one error for a hundred thousand invalid $reason', ({ schema, part, body }) => {
    const parts = Array.from({ length: 100_000 }, (_, index) => part.replace('%', String(index)));

    const { cause } = refusalOf(schema, body(parts.join(''))) as OpenStackError;

    expect(cause).toBeInstanceOf(z.ZodError);
    expect((cause as z.ZodError).issues).toHaveLength(1);
  });

  it.each([
    { reason: 'lists within lists', body: '['.repeat(300_000) },
    { reason: 'objects', body: `[${'{},'.repeat(300_000)}{}]` },
    { reason: 'values', body: `[${'0,'.repeat(1_100_000)}0]` },
  ])('is not parsed if it has too many $reason', ({ body }) => {
    expect(refusalOf(Servers, body)).toBeInstanceOf(ResponseTooLargeError);
  });

  it('may be long', () => {
    const text = 'x'.repeat(5_000_000);
    expect(read(z.object({ text: z.string() }), JSON.stringify({ text }))).toEqual({ text });
  });

  it('is treated as a service error if it is not JSON', () => {
    expect(refusalOf(Servers, '<html>')).toBeInstanceOf(OpenStackError);
  });
});
