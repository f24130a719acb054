import type { UserInfo } from '@fairway/apiserver/auth/user';
import { ApiError } from '@fairway/kube/object/api-error';

/** kube-apiserver's impersonation headers. */
export type ImpersonationHeaders = Readonly<Record<string, string | string[]>>;

/**
 * Headers that impersonate the caller. Throws 403 for a name that a header can't carry unchanged: HTTP trims the white
 * space around a value, so ` admin` would arrive as a different user.
 */
export function impersonationHeaders({ username, uid, groups, extra = {} }: UserInfo): ImpersonationHeaders {
  return {
    'impersonate-user': headerValue('user', username),
    ...(uid !== undefined && uid !== '' && { 'impersonate-uid': headerValue('uid', uid) }),
    ...(groups.length > 0 && { 'impersonate-group': groups.map((group) => headerValue('group', group)) }),
    ...Object.fromEntries(
      Object.entries(extra)
        .filter(([, values]) => values.length > 0)
        .map(([key, values]) => [
          `impersonate-extra-${headerKey(key)}`,
          values.map((value) => headerValue('extra', value)),
        ]),
    ),
  };
}

/** Node writes headers as Latin-1, but kube-apiserver reads them as UTF-8. */
function headerValue(header: string, value: string): string {
  if (value === '' || value !== value.trim() || /\p{Cc}/u.test(value)) {
    const message = `the ${header} ${JSON.stringify(value)} of your credential cannot be forwarded: it is empty, contains control characters, or has leading or trailing whitespace`;
    throw new ApiError(403, 'Forbidden', message);
  }
  return Buffer.from(value).toString('latin1');
}

/** Header names are case-insensitive, so upper case is percent-encoded, as are characters that are invalid in a name. */
function headerKey(key: string): string {
  const encoded = [...Buffer.from(key)].map((byte) => {
    const char = String.fromCharCode(byte);
    return /[a-z0-9._-]/.test(char) ? char : `%${byte.toString(16).padStart(2, '0')}`;
  });
  return encoded.join('');
}
