import type { Failure } from '../../api/failure.ts';
import type { Credentials } from '../../session/session.ts';
import type { KeyOf } from '../../text/texts.ts';
import type { signInTexts } from './texts.ts';

export const WAYS = ['password', 'applicationCredential', 'token'] as const;
export type Way = (typeof WAYS)[number];

export const FIELDS = [
  'username',
  'domain',
  'password',
  'passcode',
  'credentialId',
  'credentialSecret',
  'token',
] as const;
export type Field = (typeof FIELDS)[number];
export type Entered = Readonly<Record<Field, string>>;

export const NOTHING_ENTERED: Entered = {
  username: '',
  domain: 'Default',
  password: '',
  passcode: '',
  credentialId: '',
  credentialSecret: '',
  token: '',
};

/** What a way to sign in asks for; a passcode once Keystone has asked for it. */
export function fieldsOf(way: Way, wantsPasscode: boolean): readonly Field[] {
  switch (way) {
    case 'password':
      return ['username', 'password', ...(wantsPasscode ? (['passcode'] as const) : []), 'domain'];
    case 'applicationCredential':
      return ['credentialId', 'credentialSecret'];
    case 'token':
      return ['token'];
  }
}

export function credentialsOf(way: Way, entered: Entered): Credentials {
  const { username, domain, password, passcode, credentialId, credentialSecret, token } = entered;
  switch (way) {
    case 'password':
      return {
        kind: 'password',
        username: username.trim(),
        domain: domain.trim(),
        password,
        ...(passcode !== '' && { passcode: passcode.replaceAll(/\s/g, '') }),
      };
    case 'applicationCredential':
      return { kind: 'applicationCredential', id: credentialId.trim(), secret: credentialSecret.trim() };
    case 'token':
      return { kind: 'token', token: token.trim() };
  }
}

/** Whether the password was right, and a passcode is wanted besides. */
export function needsPasscode({ code, causes }: Pick<Failure, 'code' | 'causes'>): boolean {
  return code === 401 && causes.some(({ field }) => field === 'passcode');
}

/** What is said of a sign-in that failed. */
export function problemOf(
  { code, message, retryAfterMs = 1_000 }: Pick<Failure, 'code' | 'message' | 'retryAfterMs'>,
  way: Way,
  hasPasscode: boolean,
): {
  readonly text: KeyOf<typeof signInTexts>;
  readonly values: Readonly<Record<string, string | number>>;
} {
  if (code === 429) return { text: 'failed.tooMany', values: { count: Math.ceil(retryAfterMs / 1000) } };
  if (code === 503 || code === 0) return { text: 'failed.unavailable', values: {} };
  if (code !== 401) return { text: 'failed', values: { message } };
  switch (way) {
    case 'password':
      return { text: hasPasscode ? 'failed.refused.passcode' : 'failed.refused', values: {} };
    case 'applicationCredential':
      return { text: 'failed.refused.credential', values: {} };
    case 'token':
      return { text: 'failed.refused.token', values: {} };
  }
}
