import type { Token } from '../types/identity.ts';
import type { Credential } from './credential.ts';

/** A credential that is stored elsewhere and may be replaced: read at each login. */
export interface CredentialSource {
  /** Who its calls take turns as until its project is known: whoever has many that Keystone refuses waits for these alone. */
  readonly owner?: string;
  /** Rejects with an OpenStackError if there is none. */
  credential(): Promise<Credential>;
  /** Throws an OpenStackError if a token issued for it must not be used. */
  accept(token: Token): void;
}
