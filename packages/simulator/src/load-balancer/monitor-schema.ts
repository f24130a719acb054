import { z } from 'zod';
import { common, integer, matching, oneOf, owner, text, Uuid } from './fields.ts';

const Method = oneOf(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'OPTIONS', 'CONNECT', 'PATCH']);
const HttpVersion = z.preprocess(
  (value) => (typeof value === 'string' ? Number(value) : value),
  z.union([z.literal(1), z.literal(1.1)], 'Value should be one of: 1.0, 1.1'),
);
const UrlPath = z
  .string('Value should be string')
  .refine((value) => value.startsWith('/') && !/\s/.test(value), 'Value must be a valid URL Path string');

const Retries = integer(1, 10);

const mutable = {
  ...common,
  max_retries_down: Retries.nullish(),
  http_method: Method.nullish(),
  url_path: UrlPath.nullish(),
  expected_codes: matching(/^(\d{3}(\s*,\s*\d{3})*)$|^(\d{3}-\d{3})$/).nullish(),
  http_version: HttpVersion.nullish(),
  domain_name: matching(/^(?=.{1,253}\.?$)(?:(?!-|[^.]+_)[A-Za-z0-9-_]{1,63}(?<!-)(?:\.|$)){2,}$/)
    .refine((value) => value.length > 0, 'Value should have a minimum character requirement of 1')
    .nullish(),
};

export const MonitorInTree = z.strictObject({
  ...mutable,
  type: oneOf(['HTTP', 'HTTPS', 'PING', 'TCP', 'TLS-HELLO', 'UDP-CONNECT', 'SCTP']),
  delay: integer(0),
  timeout: integer(0),
  max_retries: Retries,
});
export type MonitorFields = z.infer<typeof MonitorInTree>;

export const CreateMonitor = z.strictObject({
  healthmonitor: z.strictObject({ ...MonitorInTree.shape, ...owner, pool_id: Uuid, name: text().nullish() }),
});
export const UpdateMonitor = z.strictObject({
  healthmonitor: z.strictObject({
    ...mutable,
    delay: integer(0).nullish(),
    timeout: integer(0).nullish(),
    max_retries: Retries.nullish(),
  }),
});
export type MonitorChanges = z.infer<typeof UpdateMonitor>['healthmonitor'];
