import type { Secret } from '@fairway/kube/kinds/generated/types';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { invalidValue, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { configKeyErrors, dataSizeErrors, frozenFieldErrors, immutable } from '../validation-common.ts';

const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';

/** Keys that a typed Secret must have in `data`. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

/** `stringData` is write-only: it is merged into `data`, overwriting existing keys. */
function encodeStringData(secret: Secret): void {
  if (secret.stringData === undefined) return;
  secret.data ??= {};
  for (const [key, value] of Object.entries(secret.stringData)) {
    secret.data[key] = Buffer.from(value).toString('base64');
  }
  delete secret.stringData;
}

function contentErrors(secret: Secret): FieldError[] {
  const { data = {}, type = '', metadata } = secret;
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...configKeyErrors(`data[${key}]`, key));
    bytes += Buffer.byteLength(value, 'base64');
  }
  errors.push(...dataSizeErrors('data', bytes));
  for (const key of REQUIRED_KEYS[type] ?? []) if (data[key] === undefined) errors.push(required(`data[${key}]`));
  if (type === 'kubernetes.io/service-account-token' && !metadata.annotations?.[SERVICE_ACCOUNT_NAME]) {
    errors.push(required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`));
  }
  if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined) {
    errors.push(required('data[username]'), required('data[password]'));
  }
  for (const key of ['.dockercfg', '.dockerconfigjson']) {
    if (!REQUIRED_KEYS[type]?.includes(key) || data[key] === undefined) continue;
    const problem = jsonProblem(data[key]);
    if (problem !== undefined) errors.push(invalidValue(`data[${key}]`, '<secret contents redacted>', problem));
  }
  return errors;
}

/** Why the decoded text is not valid JSON, in Go's wording where it is easy to reproduce; undefined if it is valid. */
function jsonProblem(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString();
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const [first] = text.trimStart();
    if (first === undefined) return 'unexpected end of JSON input';
    return '{["-0123456789tfn'.includes(first)
      ? 'invalid JSON'
      : `invalid character '${first}' looking for beginning of value`;
  }
}

function updateErrors(secret: Secret, old: Secret): FieldError[] {
  const errors = immutable('type', secret.type, old.type);
  if (!old.immutable) return errors;
  return [
    ...errors,
    ...frozenFieldErrors('immutable', secret.immutable, old.immutable),
    ...frozenFieldErrors('data', secret.data, old.data),
  ];
}

export const SecretKind = defineKind(Secrets, {
  definition: 'io.k8s.api.core.v1.Secret',
  hasGeneration: false,
  strategy: {
    default(secret) {
      setDefaults(secret, { type: 'Opaque' });
      encodeStringData(secret);
    },
    validate: (secret, old) => [...contentErrors(secret), ...(old === undefined ? [] : updateErrors(secret, old))],
  },
  selectableFields: { type: '.type' },
  columns: [text('Type', '.type'), text('Data', ({ data = {} }) => Object.keys(data).length), AGE],
});
