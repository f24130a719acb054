import type { Route } from '@fairway/apiserver/server/routes';
import type { Registry } from 'prom-client';

/** `/metrics` in Prometheus' text format, authorized by RBAC. */
export function metricsRoute(registry: Registry): Route {
  return {
    path: '/metrics',
    async handle() {
      return { status: 200, headers: { 'content-type': registry.contentType }, body: await registry.metrics() };
    },
  };
}
