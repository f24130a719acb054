import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import {
  ApplicationCredential,
  type ApplicationCredentialCreate,
  Project,
  RevocationEvent,
  type Token,
  TokenResponse,
  Trust,
  type TrustCreate,
  User,
} from '../types/identity.ts';

const ProjectList = z.object({ projects: list(Project) });
const ProjectEnvelope = z.object({ project: Project });
const RevocationEventList = z.object({ events: list(RevocationEvent) });
const UserEnvelope = z.object({ user: User });
const CredentialList = z.object({ application_credentials: list(ApplicationCredential) });
const CreatedCredentialEnvelope = z.object({
  application_credential: ApplicationCredential.extend({ secret: z.string() }),
});
const TrustList = z.object({ trusts: list(Trust) });
const TrustEnvelope = z.object({ trust: Trust });

/**
 * Calls that users make for themselves, and calls made by a service that validates tokens.
 * https://docs.openstack.org/api-ref/identity/v3/
 */
export class Identity {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /auth/projects`: projects in which the user has a role. */
  async projects(options: CallOptions = {}): Promise<readonly Project[]> {
    return (await this.#api.get(ProjectList, '/auth/projects', options)).projects;
  }

  /** `GET /projects/{project_id}`; defaults to the session's project. */
  async project(id?: string, options: CallOptions = {}): Promise<Project> {
    const params = { project_id: id ?? (await this.#api.projectId()) };
    return (await this.#api.get(ProjectEnvelope, '/projects/{project_id}', { ...options, params })).project;
  }

  /** `GET /projects`: all that the session's user may list, for example as an administrator or reader of the cloud. */
  async allProjects(options: CallOptions = {}): Promise<readonly Project[]> {
    return (await this.#api.get(ProjectList, '/projects', options)).projects;
  }

  /**
   * `GET /auth/tokens?nocatalog`: validates a token. `notFound` if it is invalid, `forbidden` unless the session's user
   * may validate other users' tokens: Keystone requires an administrator, a reader of the whole system, or the role
   * `service`. A token of an application credential with access rules is not valid here, because the rules list paths
   * of services and Fairway is not a service in Keystone.
   */
  async validateToken(token: string, options: CallOptions = {}): Promise<Token> {
    const call = { ...options, query: { nocatalog: '' }, headers: { 'x-subject-token': token } };
    return (await this.#api.get(TokenResponse, '/auth/tokens', call)).token;
  }

  /**
   * `GET /OS-REVOKE/events?since=`, for administrators and the `service` role; a Keystone without events responds with
   * `notFound`.
   */
  async revocationEvents(sinceMs: number, options: CallOptions = {}): Promise<readonly RevocationEvent[]> {
    const query = { since: new Date(sinceMs).toISOString() };
    return (await this.#api.get(RevocationEventList, '/OS-REVOKE/events', { ...options, query })).events;
  }

  /** `GET /users/{user_id}` of the session's user. */
  async me(options: CallOptions = {}): Promise<User> {
    const params = { user_id: await this.#api.userId() };
    return (await this.#api.get(UserEnvelope, '/users/{user_id}', { ...options, params })).user;
  }

  /** `GET /users/{user_id}/application_credentials`. */
  async applicationCredentials(options: CallOptions = {}): Promise<readonly ApplicationCredential[]> {
    const params = { user_id: await this.#api.userId() };
    const path = '/users/{user_id}/application_credentials';
    return (await this.#api.get(CredentialList, path, { ...options, params })).application_credentials;
  }

  /**
   * `POST /users/{user_id}/application_credentials`, for the session's project; only the response contains the secret.
   * `forbidden` if the session itself uses a restricted application credential.
   */
  async createApplicationCredential(
    credential: ApplicationCredentialCreate,
    options: CallOptions = {},
  ): Promise<ApplicationCredential & { readonly secret: string }> {
    const params = { user_id: await this.#api.userId() };
    const path = '/users/{user_id}/application_credentials';
    const call = { ...options, params, body: { application_credential: credential } };
    return (await this.#api.post(CreatedCredentialEnvelope, path, call)).application_credential;
  }

  /** `DELETE /users/{user_id}/application_credentials/{application_credential_id}`. */
  async deleteApplicationCredential(id: string, options: CallOptions = {}): Promise<void> {
    const params = { user_id: await this.#api.userId(), application_credential_id: id };
    const path = '/users/{user_id}/application_credentials/{application_credential_id}';
    await this.#api.send('DELETE', path, { ...options, params });
  }

  /** `GET /OS-TRUST/trusts?trustor_user_id=`: trusts given by the session's user. */
  async trustsGiven(options: CallOptions = {}): Promise<readonly Trust[]> {
    const query = { trustor_user_id: await this.#api.userId() };
    return (await this.#api.get(TrustList, '/OS-TRUST/trusts', { ...options, query })).trusts;
  }

  /** `GET /OS-TRUST/trusts?trustee_user_id=`: trusts given to the session's user. */
  async trustsReceived(options: CallOptions = {}): Promise<readonly Trust[]> {
    const query = { trustee_user_id: await this.#api.userId() };
    return (await this.#api.get(TrustList, '/OS-TRUST/trusts', { ...options, query })).trusts;
  }

  /** `GET /OS-TRUST/trusts/{trust_id}`, by trustor or trustee. */
  async trust(id: string, options: CallOptions = {}): Promise<Trust> {
    const call = { ...options, params: { trust_id: id } };
    return (await this.#api.get(TrustEnvelope, '/OS-TRUST/trusts/{trust_id}', call)).trust;
  }

  /** `POST /OS-TRUST/trusts`; the trustor is the session's user, who must have the roles in the project. */
  async createTrust(trust: Omit<TrustCreate, 'trustor_user_id'>, options: CallOptions = {}): Promise<Trust> {
    const body = { trust: { ...trust, trustor_user_id: await this.#api.userId() } };
    return (await this.#api.post(TrustEnvelope, '/OS-TRUST/trusts', { ...options, body })).trust;
  }

  /** `DELETE /OS-TRUST/trusts/{trust_id}`, by the trustor. */
  async deleteTrust(id: string, options: CallOptions = {}): Promise<void> {
    await this.#api.send('DELETE', '/OS-TRUST/trusts/{trust_id}', { ...options, params: { trust_id: id } });
  }
}
