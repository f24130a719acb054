/** Values of `auth_type` that a program can use to sign in repeatedly. */
export const CREDENTIAL_TYPES: readonly string[] = [
  'password',
  'v3password',
  'token',
  'v3token',
  'v3applicationcredential',
];

/** Values that need a person or a browser, or whose login works only once. */
export const SIGN_IN_TYPES: readonly string[] = [
  'v3totp',
  'v3multifactor',
  'v3oidcpassword',
  'v3oidcauthcode',
  'v3oidcdeviceauthz',
  'v3oidcaccesstoken',
  'v3oidcclientcredentials',
];
