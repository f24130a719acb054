import { z } from 'zod';
import { common, Flag, integer, matching, oneOf, owner, Tags, text, Uuid } from './fields.ts';
import { PoolInTree } from './pool-schema.ts';

const Url = z
  .string('Value should be string')
  .refine((value) => /^https?:\/\/[^\s/]+/i.test(value) && URL.canParse(value), 'Value must be a valid URL string');
const REDIRECT_CODES = [301, 302, 303, 307, 308] as const;
const MAX_POSITION = 2_147_483_647;

const Action = oneOf(['REJECT', 'REDIRECT_TO_URL', 'REDIRECT_TO_POOL', 'REDIRECT_PREFIX']);
const mutable = {
  ...common,
  description: text().nullish(),
  redirect_url: Url.nullish(),
  redirect_prefix: Url.nullish(),
  redirect_http_code: z
    .union(
      REDIRECT_CODES.map((code) => z.literal(code)),
      `Value should be one of: ${REDIRECT_CODES.join(', ')}`,
    )
    .nullish(),
  position: integer(1, MAX_POSITION).nullish(),
};
const redirectPool = { redirect_pool_id: Uuid.nullish() };

const RuleType = oneOf([
  'HOST_NAME',
  'PATH',
  'FILE_TYPE',
  'HEADER',
  'COOKIE',
  'SSL_CONN_HAS_CERT',
  'SSL_VERIFY_RESULT',
  'SSL_DN_FIELD',
]);
const CompareType = oneOf(['REGEX', 'STARTS_WITH', 'ENDS_WITH', 'CONTAINS', 'EQUAL_TO']);
const Line = matching(/^[^\r\n]*$/);
const rule = { key: Line.nullish(), invert: Flag.nullish(), admin_state_up: Flag.nullish(), tags: Tags.nullish() };

export const RuleFields = z.strictObject({ ...rule, type: RuleType, compare_type: CompareType, value: Line });
export type RuleFields = z.infer<typeof RuleFields>;

export const CreateRule = z.strictObject({ rule: z.strictObject({ ...RuleFields.shape, ...owner }) });
export const UpdateRule = z.strictObject({
  rule: z.strictObject({
    ...rule,
    type: RuleType.nullish(),
    compare_type: CompareType.nullish(),
    value: Line.nullish(),
  }),
});

export const CreatePolicy = z.strictObject({
  l7policy: z.strictObject({
    ...mutable,
    ...redirectPool,
    ...owner,
    action: Action,
    listener_id: Uuid,
    rules: z.array(RuleFields).nullish(),
  }),
});
export const UpdatePolicy = z.strictObject({
  l7policy: z.strictObject({ ...mutable, ...redirectPool, action: Action.nullish() }),
});
export const PolicyInTree = z.strictObject({
  ...mutable,
  action: Action,
  redirect_pool: PoolInTree.nullish(),
  rules: z.array(RuleFields).nullish(),
});

export type PolicyFields = Omit<z.infer<typeof CreatePolicy>['l7policy'], 'listener_id' | 'project_id' | 'tenant_id'>;
export type PolicyChanges = z.infer<typeof UpdatePolicy>['l7policy'];
export type PolicyOfTree = z.infer<typeof PolicyInTree>;
