import type { UserInfo } from '../auth/user.ts';

/** The headers that identify users to aggregated API servers, as in kube-apiserver's `--requestheader-*` flags. */
const USERNAME_HEADER = 'X-Remote-User';
const UID_HEADER = 'X-Remote-Uid';
const GROUP_HEADER = 'X-Remote-Group';
const EXTRA_PREFIX = 'X-Remote-Extra-';
/** The certificate name that aggregated API servers require before they accept these headers. */
export const FRONT_PROXY_USER = 'front-proxy-client';

/** The user that an API server uses for its own requests; it has full permissions there. */
export const AGGREGATOR_USER: UserInfo = { username: 'system:kube-aggregator', groups: ['system:masters'] };

/**
 * The keys in the ConfigMap `extension-apiserver-authentication` that describe the front proxy. @param caBundle PEM of
 * the CAs that verify its certificate.
 */
export function requestHeaderSettings(caBundle: string): Readonly<Record<string, string>> {
  return {
    'requestheader-allowed-names': JSON.stringify([FRONT_PROXY_USER]),
    'requestheader-client-ca-file': caBundle,
    'requestheader-extra-headers-prefix': JSON.stringify([EXTRA_PREFIX]),
    'requestheader-group-headers': JSON.stringify([GROUP_HEADER]),
    'requestheader-uid-headers': JSON.stringify([UID_HEADER]),
    'requestheader-username-headers': JSON.stringify([USERNAME_HEADER]),
  };
}

/** The headers that name the user on whose behalf a request is forwarded. */
export function userHeaders({ username, uid, groups, extra = {} }: UserInfo): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { [USERNAME_HEADER]: encodeHeaderValue(username) };
  if (uid) headers[UID_HEADER] = encodeHeaderValue(uid);
  if (groups.length > 0) headers[GROUP_HEADER] = groups.map(encodeHeaderValue);
  for (const [key, values] of Object.entries(extra))
    headers[EXTRA_PREFIX + escapedKey(key)] = values.map(encodeHeaderValue);
  return headers;
}

/** Go sends headers as UTF-8; Node sends each character as one byte. */
function encodeHeaderValue(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Like client-go's headerKeyEscape: bytes that are invalid in header names, and the percent sign, are percent-encoded. */
function escapedKey(key: string): string {
  return Array.from(Buffer.from(key), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[\w!#$&'*+\-.^`|~]/.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
