import { targetReplicas } from '@fairway/api/domain/target-replicas';
import { isAdmin, requireAdmin } from '../access/permissions.ts';
import { readClusters } from '../clusters/stored-cluster.ts';
import type { Call, Reply, Route } from '../http/call.ts';
import { param } from '../http/call.ts';
import { invalidInput, MagnumError, notAllowed } from '../http/magnum-error.ts';
import { pageOf } from '../http/page.ts';

/** Calls unrelated to clusters and templates. */
export const ACCOUNT_ROUTES: readonly Route[] = [
  { method: 'GET', path: 'stats', action: 'stats:get_all', handle: stats },
  { method: 'GET', path: 'mservices', action: 'magnum-service:get_all', handle: mservices },
  { method: 'GET', path: 'federations', action: 'federation:get_all', handle: listNoFederations },
  { method: 'GET', path: 'federations/detail', action: 'federation:detail', handle: listNoFederations },
  { method: 'GET', path: 'federations/{federation}', action: 'federation:get', handle: federationNotFound },
  { method: 'POST', path: 'federations', action: 'federation:create', handle: rejectFederation },
  { method: 'PATCH', path: 'federations/{federation}', action: 'federation:update', handle: federationNotFound },
  { method: 'DELETE', path: 'federations/{federation}', action: 'federation:delete', handle: federationNotFound },
];

async function stats(call: Call): Promise<Reply> {
  const { query, caller, client, services } = call;
  const type = query.get('type') ?? 'cluster';
  if (type.toLowerCase() !== 'cluster') throw invalidInput(`Invalid type: ${type.slice(0, 40)}: it must be cluster`);
  const project = query.get('project_id') ?? undefined;
  const admin = await isAdmin(client);
  if (project !== undefined && project !== caller.project.id && !admin) throw notAllowed('stats:get_all');
  const namespace = project === undefined ? caller.namespace : services.namespaceOfProject(project);
  const allProjects = project === undefined && admin;
  if (!allProjects && namespace === undefined) return { status: 200, body: { clusters: 0, nodes: 0 } };
  const storedClusters = await readClusters(call, {
    withMachines: false,
    ...(!allProjects && namespace !== undefined && { namespace }),
  });
  const nodes = storedClusters.flatMap(({ pools }) => pools.map((pool) => targetReplicas(pool)));
  return {
    status: 200,
    body: { clusters: storedClusters.length, nodes: nodes.reduce((sum, count) => sum + count, 0) },
  };
}

/** Lists only the process that serves this API. */
async function mservices({ client, services, query }: Call): Promise<Reply> {
  pageOf(query);
  await requireAdmin(client, 'magnum-service:get_all');
  const service = {
    id: 1,
    host: services.hostName,
    binary: 'magnum-conductor',
    state: 'up',
    report_count: 0,
    disabled: false,
    disabled_reason: null,
    created_at: null,
    updated_at: null,
  };
  return { status: 200, body: { mservices: [service] } };
}

async function listNoFederations({ query }: Call): Promise<Reply> {
  pageOf(query);
  return { status: 200, body: { federations: [] } };
}

function federationNotFound(call: Call): Promise<Reply> {
  return Promise.reject(
    new MagnumError(404, `Federation ${param(call, 'federation').slice(0, 255)} could not be found.`),
  );
}

function rejectFederation(): Promise<Reply> {
  return Promise.reject(invalidInput('Federations are not supported.'));
}
