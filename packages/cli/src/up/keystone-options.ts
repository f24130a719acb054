import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parsePolicy } from '@fairway/identity/policy/policy';
import { type KeystoneSettings, keystoneSettings, type SingleSignOnMethod } from '@fairway/identity/settings';
import { usageError } from '@fairway/service/command-error';
import type { CliContext } from '../command/context.ts';

/** Options for Keystone users. */
export interface KeystoneOptions {
  /** Entry in clouds.yaml. */
  readonly keystone?: string;
  /** Can be set only in fairway.yaml or the environment. */
  readonly keystoneSettings?: {
    readonly namespaceFormat?: string;
    /** `ROLE=CLUSTERROLE`. */
    readonly roles?: readonly string[];
    readonly ignoredProjects?: readonly string[];
    /** `NAME=URL`. */
    readonly singleSignOn?: readonly string[];
    readonly policyFile?: string;
  };
}

/** Undefined if Keystone users are disabled. Throws a usage error. */
export function keystoneOptions(
  context: Pick<CliContext, 'cwd'>,
  { keystone, keystoneSettings: settings = {} }: KeystoneOptions,
): KeystoneSettings | undefined {
  const { namespaceFormat, roles, ignoredProjects, singleSignOn, policyFile } = settings;
  if (keystone === undefined) {
    if (Object.values(settings).every((value) => value === undefined)) return undefined;
    throw usageError(
      'settings for Keystone users have no effect because no Keystone is configured',
      'name an entry of clouds.yaml with keystone.cloud or --keystone',
    );
  }
  return keystoneSettings(keystone, {
    namespaceFormat,
    roles: roles && Object.fromEntries(roles.map(parseRoleEntry)),
    ignoredProjects,
    singleSignOn: singleSignOn?.map(parseSingleSignOn),
    policy: policyFile === undefined ? undefined : policyOf(resolve(context.cwd, policyFile)),
  });
}

/**
 * Parses `ROLE=CLUSTERROLE`. Throws an Error with the reason. Names of roles and ClusterRoles may contain colons, but
 * no equals sign.
 */
export function parseRoleEntry(text: string): readonly [role: string, clusterRole: string] {
  const [role = '', clusterRole = '', ...rest] = text.split('=');
  if (role === '' || clusterRole === '' || rest.length > 0) throw new Error('is not ROLE=CLUSTERROLE');
  return [role, clusterRole];
}

const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/** Parses `NAME=URL`. Throws an Error with the reason. Names can't contain equals signs; URLs can. */
export function parseSingleSignOn(text: string): SingleSignOnMethod {
  const [, name = '', address = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (!URL.canParse(address)) throw new Error('is not NAME=URL');
  const { protocol, hostname, username, search, hash } = new URL(address);
  if (protocol !== 'https:' && !(protocol === 'http:' && LOCAL_HOST.test(hostname)))
    throw new Error('is not an https URL');
  if (username !== '' || search !== '' || hash !== '') throw new Error('must not have a user, a query or a fragment');
  return { name: name.trim(), url: address };
}

function policyOf(file: string): KeystoneSettings['policy'] {
  try {
    return parsePolicy(readFileSync(file, 'utf8'));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw usageError(
      `cannot use the policy ${file}: ${message}`,
      'docs/operators/keystone.md describes its format',
      error,
    );
  }
}
