import type { Failure } from '../../api/failure.ts';
import type { Credentials } from '../../session/session.ts';
import type { KeyOf } from '../../text/texts.ts';
import type { signInTexts } from './texts.ts';

export const SIGN_IN_METHODS = ['password', 'applicationCredential', 'token'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

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
export type SignInInput = Readonly<Record<Field, string>>;

export const EMPTY_INPUT: SignInInput = {
  username: '',
  domain: 'Default',
  password: '',
  passcode: '',
  credentialId: '',
  credentialSecret: '',
  token: '',
};

/** The fields of a sign-in method; includes the passcode once Keystone requires it. */
export function fieldsOf(method: SignInMethod, wantsPasscode: boolean): readonly Field[] {
  switch (method) {
    case 'password':
      return ['username', 'password', ...(wantsPasscode ? (['passcode'] as const) : []), 'domain'];
    case 'applicationCredential':
      return ['credentialId', 'credentialSecret'];
    case 'token':
      return ['token'];
  }
}

export function credentialsOf(method: SignInMethod, input: SignInInput): Credentials {
  const { username, domain, password, passcode, credentialId, credentialSecret, token } = input;
  switch (method) {
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

/** Whether the password was accepted and a passcode is also required. */
export function needsPasscode({ code, causes }: Pick<Failure, 'code' | 'causes'>): boolean {
  return code === 401 && causes.some(({ field }) => field === 'passcode');
}

/** The message for a failed sign-in. */
export function problemOf(
  { code, message, retryAfterMs = 1_000 }: Pick<Failure, 'code' | 'message' | 'retryAfterMs'>,
  method: SignInMethod,
  hasPasscode: boolean,
): {
  readonly text: KeyOf<typeof signInTexts>;
  readonly values: Readonly<Record<string, string | number>>;
} {
  if (code === 429) return { text: 'failed.tooMany', values: { count: Math.ceil(retryAfterMs / 1000) } };
  if (code === 503 || code === 0) return { text: 'failed.unavailable', values: {} };
  if (code !== 401) return { text: 'failed', values: { message } };
  switch (method) {
    case 'password':
      return { text: hasPasscode ? 'failed.refused.passcode' : 'failed.refused', values: {} };
    case 'applicationCredential':
      return { text: 'failed.refused.credential', values: {} };
    case 'token':
      return { text: 'failed.refused.token', values: {} };
  }
}
