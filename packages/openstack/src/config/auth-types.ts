/** `auth_type` values with which a program can sign in repeatedly. */
export const CREDENTIAL_TYPES: readonly string[] = [
  'password',
  'v3password',
  'token',
  'v3token',
  'v3applicationcredential',
];

/** Values that require a person or a browser, or that work for only one login. */
export const SIGN_IN_TYPES: readonly string[] = [
  'v3totp',
  'v3multifactor',
  'v3oidcpassword',
  'v3oidcauthcode',
  'v3oidcdeviceauthz',
  'v3oidcaccesstoken',
  'v3oidcclientcredentials',
];
