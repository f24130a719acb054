import { type ApiRequest, ok, type Route } from '../http/api.ts';
import { canSee } from '../identity/access.ts';
import type { World } from '../world.ts';
import { nextLink, type SortKeys, sliceRows, sorted } from './list.ts';
import { notFound, requireReaderRole, requireWriterRole } from './problem.ts';
import type { ShareMessage } from './records.ts';
import { linksTo, shareRoute, shareTime } from './route.ts';

const VERSION_RANGE = { since: 37 };
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

const SORT_KEYS: SortKeys<ShareMessage> = {
  id: ({ id }) => id,
  project_id: ({ projectId }) => projectId,
  request_id: ({ requestId }) => requestId,
  resource_type: () => 'SHARE',
  action_id: () => '001',
  detail_id: () => '008',
  resource_id: ({ resourceId }) => resourceId,
  message_level: () => 'ERROR',
  created_at: ({ createdMs }) => createdMs,
};

/** User messages about requests that failed. */
export function shareMessageRoutes(world: World): Route[] {
  const { shareMessages } = world.tables;
  const find = ({ access, params }: ApiRequest): ShareMessage => {
    const id = params['id'] ?? '';
    const message = shareMessages.get(id);
    if (message === undefined || !canSee(access, message.projectId)) {
      throw notFound(`Message ${id} could not be found.`);
    }
    requireReaderRole(access);
    return message;
  };
  return [
    shareRoute(
      'GET',
      '/messages',
      (request) => {
        const { access, query } = request;
        requireReaderRole(access);
        const filters = ['request_id', 'resource_type', 'resource_id', 'action_id', 'detail_id', 'message_level'];
        const rows = shareMessages.where(
          (message) =>
            message.projectId === access.projectId &&
            filters.every((name) => !query.has(name) || SORT_KEYS[name]?.(message) === query.get(name)),
        );
        const response = sliceRows(request, sorted(request, rows, SORT_KEYS));
        const links = nextLink(request, 'messages', response);
        return ok({
          messages: response.map((message) => view(request, message)),
          ...(links.length > 0 && { messages_links: links }),
        });
      },
      VERSION_RANGE,
    ),
    shareRoute('GET', '/messages/{id}', (request) => ok({ message: view(request, find(request)) }), VERSION_RANGE),
    shareRoute(
      'DELETE',
      '/messages/{id}',
      (request) => {
        const { id } = find(request);
        requireWriterRole(request.access);
        shareMessages.delete(id);
        return { status: 204 };
      },
      VERSION_RANGE,
    ),
  ];
}

function view(request: ApiRequest, { id, projectId, resourceId, requestId, text, createdMs }: ShareMessage): object {
  return {
    id,
    project_id: projectId,
    action_id: '001',
    detail_id: '008',
    message_level: 'ERROR',
    created_at: shareTime(createdMs),
    expires_at: shareTime(createdMs + LIFETIME_MS),
    request_id: requestId,
    links: linksTo(request, `messages/${id}`),
    resource_type: 'SHARE',
    resource_id: resourceId,
    user_message: text,
  };
}
