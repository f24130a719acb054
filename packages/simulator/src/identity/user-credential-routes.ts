import { z } from 'zod';
import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import type { World } from '../world.ts';
import { isAdmin } from './access.ts';
import { collection } from './collection.ts';
import { notFound, requireSelfOrAdmin } from './problem.ts';
import type { UserCredential } from './records.ts';

const Body = z.object({
  credential: z.object({
    type: z.string().min(1),
    blob: z.string(),
    user_id: z.string(),
    project_id: z.string().nullish(),
  }),
});

/** Secrets that Keystone stores for users, such as those for one-time passcodes. */
export function userCredentialRoutes(world: World): Route[] {
  return [
    { method: 'GET', template: '/v3/credentials', handle: (request) => list(world, request) },
    { method: 'POST', template: '/v3/credentials', handle: (request) => create(world, request) },
    {
      method: 'GET',
      template: '/v3/credentials/{id}',
      handle: (request) => ok({ credential: view(find(world, request, 'get_credential'), request.origin) }),
    },
    {
      method: 'DELETE',
      template: '/v3/credentials/{id}',
      handle: (request) => {
        world.tables.userCredentials.delete(find(world, request, 'delete_credential').id);
        return noContent;
      },
    },
  ];
}

function list(world: World, request: ApiRequest): ApiResponse {
  const { access, origin } = request;
  const seen = world.tables.userCredentials.where((c) => isAdmin(access) || c.userId === access.userId);
  const views = seen.map((credential) => view(credential, origin));
  return collection(request, 'credentials', views, ['user_id', 'type']);
}

function create(world: World, request: ApiRequest): ApiResponse {
  const { credential: body } = parseBody(Body, request.body);
  requireSelfOrAdmin(request.access, body.user_id, 'create_credential');
  const { type, blob, user_id: userId, project_id: projectId } = body;
  const newCredential = { id: world.ids.hex(), userId, projectId: projectId ?? null, type, blob };
  return created({ credential: view(world.tables.userCredentials.put(newCredential), request.origin) });
}

function find(world: World, request: ApiRequest, action: string): UserCredential {
  const id = request.params['id'] ?? '';
  const credential = world.tables.userCredentials.get(id);
  if (credential === undefined) throw notFound('credential', id);
  requireSelfOrAdmin(request.access, credential.userId, action);
  return credential;
}

function view({ id, userId, projectId, type, blob }: UserCredential, origin: string): object {
  const links = { self: `${origin}/identity/v3/credentials/${id}` };
  return { id, type, blob, user_id: userId, project_id: projectId, links };
}
