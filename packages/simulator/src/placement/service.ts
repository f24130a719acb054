import { type ApiRequest, ok, type Service } from '../http/api.ts';
import { titleOf } from '../identity/problem.ts';
import { SERVICE_LIST } from '../service-list.ts';

/** The part of Placement that clients use: its version document, and an empty list of resource providers. */
export function placementService(): Service {
  const version = ({ serviceUrl }: ApiRequest): object => ({
    id: 'v1.0',
    status: 'CURRENT',
    min_version: '1.0',
    max_version: '1.39',
    links: [{ rel: 'self', href: `${serviceUrl}/` }],
  });
  return {
    name: 'placement',
    prefix: SERVICE_LIST.placement.prefix,
    routes: [
      { method: 'GET', template: '/', open: true, handle: (request) => ok({ versions: [version(request)] }) },
      { method: 'GET', template: '/resource_providers', handle: () => ok({ resource_providers: [] }) },
    ],
    renderProblem: ({ status, message }) => ({
      status,
      body: { errors: [{ status, title: titleOf(status), detail: message }] },
    }),
  };
}
