/** Values of `auth_type` that a program can sign in with repeatedly. */
export const CREDENTIAL_TYPES: readonly string[] = [
  'password',
  'v3password',
  'token',
  'v3token',
  'v3applicationcredential',
];

/** Those that need a person or a browser, or whose login is valid once. */
export const SIGN_IN_TYPES: readonly string[] = [
  'v3totp',
  'v3multifactor',
  'v3oidcpassword',
  'v3oidcauthcode',
  'v3oidcdeviceauthz',
  'v3oidcaccesstoken',
  'v3oidcclientcredentials',
];
