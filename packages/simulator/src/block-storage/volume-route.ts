import type { ApiRequest, ApiResponse, Route } from '../http/api.ts';
import { badRequest, notFound } from './problem.ts';

/**
 * A route below the version, such as `/volumes/{id}`; Cinder serves each route with and without the project in the
 * path.
 */
export function volumeRoute(
  method: string,
  template: string,
  handle: (request: ApiRequest) => ApiResponse,
  since = 0,
): Route[] {
  const handleChecked = (request: ApiRequest): ApiResponse => {
    if (request.microversion < since) throw notFound('The resource could not be found.');
    return handle(request);
  };
  return [
    { method, template: `/v3${template}`, handle: handleChecked },
    {
      method,
      template: `/v3/{project_id}${template}`,
      handle(request) {
        if (request.params['project_id'] !== request.access.projectId) throw badRequest('Malformed request url');
        return handleChecked(request);
      },
    },
  ];
}
