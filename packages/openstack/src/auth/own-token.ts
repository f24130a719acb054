import { z } from 'zod';
import type { HttpClient } from '../http/http-client.ts';
import { ignoreNotFound, isOpenStackError } from '../http/openstack-error.ts';
import { parseBody } from '../http/parse-body.ts';
import { list } from '../types/collections.ts';
import { type ApplicationCredentialCreate, Project } from '../types/identity.ts';
import { identityRoot } from './authenticate.ts';

const TOKENS = { service: 'identity', template: '/v3/auth/tokens' } as const;

/** Whether Keystone still accepts a token. Throws an OpenStackError if the response is unclear. */
export async function isAccepted(http: HttpClient, authUrl: string, token: string): Promise<boolean> {
  try {
    await http.call({
      ...TOKENS,
      method: 'GET',
      url: `${identityRoot(authUrl)}/auth/tokens?nocatalog`,
      headers: { 'x-auth-token': token, 'x-subject-token': token },
    });
    return true;
  } catch (error) {
    if (isOpenStackError(error, 'unauthorized') || isOpenStackError(error, 'notFound')) return false;
    throw error;
  }
}

/** Revokes a token; does nothing if it is already invalid. */
export async function revoke(http: HttpClient, authUrl: string, token: string): Promise<void> {
  const url = `${identityRoot(authUrl)}/auth/tokens`;
  const headers = { 'x-auth-token': token, 'x-subject-token': token };
  await ignoreNotFound(http.call({ ...TOKENS, method: 'DELETE', url, headers })).catch((error: unknown) => {
    if (!isOpenStackError(error, 'unauthorized')) throw error;
  });
}

const CreatedCredential = z.object({ application_credential: z.object({ id: z.string(), secret: z.string() }) });

/**
 * Creates an application credential for the token's user in the token's project. Throws `forbidden` if the token itself
 * comes from a restricted application credential.
 */
export async function createApplicationCredential(
  http: HttpClient,
  authUrl: string,
  { token, userId }: { readonly token: string; readonly userId: string },
  credential: ApplicationCredentialCreate,
): Promise<{ readonly id: string; readonly secret: string }> {
  const template = '/v3/users/{user_id}/application_credentials';
  const call = { service: 'identity', method: 'POST', template } as const;
  const url = `${identityRoot(authUrl)}/users/${encodeURIComponent(userId)}/application_credentials`;
  const body = { application_credential: credential };
  const response = await http.call({ ...call, url, headers: { 'x-auth-token': token }, body });
  return parseBody(CreatedCredential, response, call).application_credential;
}

const Projects = z.object({ projects: list(Project) });

/** The projects for which the token's user can get a token. */
export async function projectsFor(http: HttpClient, authUrl: string, token: string): Promise<readonly Project[]> {
  const call = { service: 'identity', method: 'GET', template: '/v3/auth/projects' } as const;
  const url = `${identityRoot(authUrl)}/auth/projects`;
  const response = await http.call({ ...call, url, headers: { 'x-auth-token': token } });
  return parseBody(Projects, response, call).projects;
}
