import type { UserInfo } from '../auth/user.ts';

/** What API servers behind the aggregation layer know a user by, as kube-apiserver's flags `--requestheader-*` name it. */
const USERNAME = 'X-Remote-User';
const UID = 'X-Remote-Uid';
const GROUP = 'X-Remote-Group';
const EXTRA_PREFIX = 'X-Remote-Extra-';
/** The name in the certificate that they accept these headers with. */
export const FRONT_PROXY_USER = 'front-proxy-client';

/** Whom an API server of the cluster asks as; it has all rights there. */
export const AGGREGATOR: UserInfo = { username: 'system:kube-aggregator', groups: ['system:masters'] };

/** The keys of the ConfigMap `extension-apiserver-authentication` about the front proxy. @param caBundle PEM of what its certificate chains to. */
export function requestHeaderSettings(caBundle: string): Readonly<Record<string, string>> {
  return {
    'requestheader-allowed-names': JSON.stringify([FRONT_PROXY_USER]),
    'requestheader-client-ca-file': caBundle,
    'requestheader-extra-headers-prefix': JSON.stringify([EXTRA_PREFIX]),
    'requestheader-group-headers': JSON.stringify([GROUP]),
    'requestheader-uid-headers': JSON.stringify([UID]),
    'requestheader-username-headers': JSON.stringify([USERNAME]),
  };
}

/** The headers that name the user of a forwarded request. */
export function userHeaders({ username, uid, groups, extra = {} }: UserInfo): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { [USERNAME]: onWire(username) };
  if (uid) headers[UID] = onWire(uid);
  if (groups.length > 0) headers[GROUP] = groups.map(onWire);
  for (const [key, values] of Object.entries(extra)) headers[EXTRA_PREFIX + escapedKey(key)] = values.map(onWire);
  return headers;
}

/** Go sends UTF-8 in headers; Node sends a character as one byte. */
function onWire(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** As client-go's headerKeyEscape: bytes that no name of a header may have are percent-encoded, and the percent sign itself. */
function escapedKey(key: string): string {
  return Array.from(Buffer.from(key), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[\w!#$&'*+\-.^`|~]/.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
