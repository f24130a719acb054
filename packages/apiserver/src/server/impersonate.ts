import { badRequest } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';

/** One attribute that the real user must be allowed to impersonate. */
interface Claim {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';
const AUTHENTICATION_GROUP = 'authentication.k8s.io';

/**
 * The user specified by the request's Impersonate- headers; undefined if there are none. `authorize` is called for each
 * claim with the verb `impersonate`, and throws 403.
 */
export async function impersonatedUser(
  headers: Readonly<Record<string, string | undefined>>,
  authorize: (claim: Claim) => Promise<void>,
): Promise<UserInfo | undefined> {
  const names = Object.keys(headers).filter((name) => name.startsWith(PREFIX));
  if (names.length === 0) return undefined;
  const username = headers['impersonate-user'] ?? '';
  if (username === '') throw badRequest('requested impersonation without impersonating a user');
  const groups = valuesOf(headers['impersonate-group']);
  const uid = headers['impersonate-uid'];
  const extra: Record<string, string[]> = {};
  for (const name of names) {
    if (name.startsWith(EXTRA_PREFIX)) extra[decoded(name.slice(EXTRA_PREFIX.length))] = valuesOf(headers[name]);
  }

  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  await authorize(
    account === null
      ? claim('users', username)
      : { ...claim('serviceaccounts', account[2] ?? ''), namespace: account[1] ?? '' },
  );
  for (const group of groups) await authorize(claim('groups', group));
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values)
      await authorize({ ...claim('userextras', value, AUTHENTICATION_GROUP), subresource: key });
  }
  if (uid !== undefined) await authorize(claim('uids', uid, AUTHENTICATION_GROUP));
  return {
    username,
    groups: withImpliedGroups(username, groups, account?.[1]),
    ...(uid !== undefined && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function claim(resource: string, name: string, group = ''): Claim {
  return { group, version: 'v1', resource, subresource: '', namespace: '', name };
}

/** Like upstream: service accounts get their groups, and everyone except anonymous users is `system:authenticated`. */
function withImpliedGroups(username: string, groups: readonly string[], namespace: string | undefined): string[] {
  const all = new Set(groups);
  if (namespace !== undefined && groups.length === 0) {
    all.add('system:serviceaccounts').add(`system:serviceaccounts:${namespace}`);
  }
  if (username === 'system:anonymous') all.add('system:unauthenticated');
  else if (!all.has('system:unauthenticated')) all.add('system:authenticated');
  return [...all];
}

/** An invalidly encoded key is used as is, like upstream. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Repeated headers arrive joined by a newline, which no header value can contain. */
function valuesOf(header: string | undefined): string[] {
  return header === undefined || header === '' ? [] : header.split('\n');
}
