import type { Token } from '../types/identity.ts';
import type { Credential } from './credential.ts';

/** A credential that is stored elsewhere and may be replaced; read at each login. */
export interface CredentialSource {
  /**
   * Identifies the caller for fair queueing until its project is known, so a caller whose calls Keystone refuses delays
   * only its own calls.
   */
  readonly owner?: string;
  /** Rejects with an OpenStackError if there is no credential. */
  credential(): Promise<Credential>;
  /** Throws an OpenStackError if a token issued for the credential must not be used. */
  accept(token: Token): void;
}
