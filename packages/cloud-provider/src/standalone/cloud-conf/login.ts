import { type CloudConfig, CloudConfigError } from '@fairway/openstack/config/cloud-config';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { compileCloud } from '@fairway/openstack/config/compile-cloud';
import type { RawCloud } from '@fairway/openstack/config/raw-cloud';
import type { ConfValues } from './conf-values.ts';

/** Keys of `[Global]` and their clouds.yaml equivalents. */
const VARIABLE_NAMES = {
  'auth-url': 'auth_url',
  'user-id': 'user_id',
  username: 'username',
  password: 'password',
  'tenant-id': 'project_id',
  'tenant-name': 'project_name',
  'trust-id': 'trust_id',
  'domain-id': 'domain_id',
  'domain-name': 'domain_name',
  'tenant-domain-id': 'project_domain_id',
  'tenant-domain-name': 'project_domain_name',
  'user-domain-id': 'user_domain_id',
  'user-domain-name': 'user_domain_name',
  region: 'region_name',
  'os-endpoint-type': 'interface',
  'ca-file': 'cacert',
  'cert-file': 'cert',
  'key-file': 'key',
  token: 'token',
  'application-credential-id': 'application_credential_id',
  'application-credential-name': 'application_credential_name',
  'application-credential-secret': 'application_credential_secret',
} as const;

export interface LoginContext {
  /** The file name, for error messages. */
  readonly source: string;
  readonly home: string;
  /** Reads clouds.yaml at this path, or from the default locations of OpenStack clients. Throws a CloudConfigError. */
  readonly cloudsYaml: (file: string | undefined) => CloudsYaml;
}

/** Connection settings from `[Global]`. Throws a CloudConfigError with the cloud.conf key. */
export function loginOf(values: ConfValues, context: LoginContext): CloudConfig {
  const name = globalName(values);
  const raw = rawCloud(values, name);
  if (values.flag('global', 'use-clouds', name) === true) {
    const yaml = context.cloudsYaml(values.text('global', 'clouds-file', name));
    return yaml.get(values.text('global', 'cloud', name), raw);
  }
  try {
    return compileCloud(name ?? 'openstack', raw, context);
  } catch (error) {
    throw error instanceof CloudConfigError ? withOwnKeyNames(error, context.source) : error;
  }
}

/** Undefined for an unnamed section: cinder-csi-plugin supports several clouds, each with a named section. */
function globalName(values: ConfValues): string | undefined {
  const [first, ...others] = values.sections('global');
  if (others.length > 0) {
    const names = [first, ...others].map((each) => (each === undefined ? '[Global]' : `[Global "${each}"]`));
    values.problems.push(`${names.join(', ')}: only one cloud is supported: remove the others`);
  }
  return first;
}

function rawCloud(values: ConfValues, name: string | undefined): RawCloud {
  const text = (key: string) => values.text('global', key, name);
  const raw: Record<string, unknown> = {};
  for (const [key, own] of Object.entries(VARIABLE_NAMES)) {
    const value = text(key);
    if (value !== undefined) raw[own] = value;
  }
  if (values.flag('global', 'tls-insecure', name) === true) raw.insecure = true;
  // The trustee authenticates.
  if (raw.trust_id !== undefined) {
    raw.user_id = text('trustee-id') ?? raw.user_id;
    raw.password = text('trustee-password') ?? raw.password;
    delete raw.project_id;
    delete raw.project_name;
  }
  if (raw.application_credential_secret !== undefined) raw.auth_type = 'v3applicationcredential';
  else if (raw.token !== undefined) raw.auth_type = 'token';
  // `auth` in clouds.yaml would take precedence over these settings.
  return withAuth(raw);
}

const TOP_LEVEL_KEYS: ReadonlySet<string> = new Set([
  'region_name',
  'interface',
  'cacert',
  'cert',
  'key',
  'insecure',
  'auth_type',
]);

function withAuth(raw: Readonly<Record<string, unknown>>): RawCloud {
  const entries = Object.entries(raw).filter(([, value]) => value !== undefined);
  const auth = Object.fromEntries(entries.filter(([key]) => !TOP_LEVEL_KEYS.has(key)));
  return { ...Object.fromEntries(entries.filter(([key]) => TOP_LEVEL_KEYS.has(key))), auth };
}

function withOwnKeyNames({ key = '', message }: CloudConfigError, source: string): CloudConfigError {
  const own = Object.entries(VARIABLE_NAMES).find(([, name]) => key === name || key === `auth.${name}`)?.[0] ?? key;
  const problem = message.slice(message.lastIndexOf(`${key}: `) + key.length + 2);
  const words = Object.entries(VARIABLE_NAMES).reduce(
    (text, [conf, name]) => text.replaceAll(`auth.${name}`, conf),
    problem,
  );
  return new CloudConfigError(source, words, { key: `[global] ${own}` });
}
