import type { Token } from '../types/identity.ts';
import type { Credential } from './credential.ts';

/** A credential that somebody else keeps and may replace: asked for at each login. */
export interface CredentialSource {
  /** Rejects with an OpenStackError where there is none to be had. */
  credential(): Promise<Credential>;
  /** Throws an OpenStackError when a token that Keystone gave for it must not be used. */
  accept(token: Token): void;
}
