import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { ServiceApi } from '../service-api.ts';
import { AccessRules } from './access-rules.ts';

const rule = { id: 'a', access_type: 'ip', access_to: '10.0.0.1', access_level: 'rw', metadata: {} };

test.each(['active', null])('lists rules, including one whose state is %s', async (state) => {
  const body = { access_list: [{ ...rule, state }] };
  const api = { get: (schema: z.ZodType) => Promise.resolve(schema.parse(body)) } as unknown as ServiceApi;

  expect(await new AccessRules(api).list('share')).toEqual([{ ...rule, state }]);
});
