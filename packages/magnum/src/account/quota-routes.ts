import { effectiveQuota } from '@fairway/api/domain/project-quota';
import { GROUP } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import type { ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { ResourceQuotas } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { z } from 'zod';
import { isAdmin, type Permission, requireAdmin, requirePermission } from '../access/permissions.ts';
import { replaceNotFound } from '../http/api-errors.ts';
import { optional, optionalInt, parseBody } from '../http/body.ts';
import { type Call, param, type Reply, type Route } from '../http/call.ts';
import { invalidInput, MagnumError, notAllowed } from '../http/magnum-error.ts';
import { pageOf, pageReply } from '../http/page.ts';
import { magnumTime, rowNumber } from '../http/representation.ts';

/**
 * Quotas are ResourceQuotas with this name in the projects' namespaces. Other ResourceQuotas that an operator creates
 * there also apply.
 */
const QUOTA_NAME = 'magnum';
const COUNT_RESOURCE = `count/${clusters.plural}.${GROUP}`;
/** Magnum's value for a project without a quota; Fairway has no such limit. */
const UNLIMITED = -1;

export const QUOTA_ROUTES: readonly Route[] = [
  { method: 'GET', path: 'quotas', action: 'quota:get_all', handle: list },
  { method: 'GET', path: 'quotas/{project}/{resource}', action: 'quota:get', handle: show },
  { method: 'POST', path: 'quotas', action: 'quota:create', handle: create },
  { method: 'PATCH', path: 'quotas/{project}/{resource}', action: 'quota:update', handle: change },
  { method: 'DELETE', path: 'quotas/{project}/{resource}', action: 'quota:delete', handle: remove },
];

const QuotaBody = z.strictObject({
  project_id: optional(z.string().min(1).max(255)),
  resource: optional(z.string().max(255)),
  hard_limit: optionalInt(z.int().min(0).max(2_147_483_647)),
});

async function list(call: Call): Promise<Reply> {
  const query = pageOf(call.query, ['all_tenants']);
  await requireAdmin(call.client, 'quota:get_all');
  const allTenants = /^(true|1)$/i.test(call.query.get('all_tenants') ?? '');
  const { items } = await call.services.systemClient
    .resource(ResourceQuotas)
    .list({ fieldSelector: `metadata.name=${QUOTA_NAME}`, ...(!allTenants && { namespace: call.caller.namespace }) });
  const pageItems = items.map((quota) => {
    const view = viewOf(call, quota);
    return { marker: String(view.id), created: quota.metadata.creationTimestamp ?? '', view };
  });
  return pageReply(call, { name: 'quotas' }, pageItems, query);
}

async function show(call: Call): Promise<Reply> {
  const project = projectOf(call);
  if (project !== call.caller.project.id && !(await isAdmin(call.client))) throw notAllowed('quota:get');
  const namespace = call.services.namespaceOfProject(project);
  const quota = namespace === undefined ? undefined : await read(call, namespace);
  if (quota === undefined) {
    const hard_limit = namespace === undefined ? UNLIMITED : await limitOfProject(call, namespace);
    return { status: 200, body: { project_id: project, resource: 'Cluster', hard_limit } };
  }
  return { status: 200, body: viewOf(call, quota) };
}

/** The cluster limit from ProjectQuotas, for projects without a quota created through this API. */
async function limitOfProject({ services }: Call, namespace: string): Promise<number> {
  const { items } = await services.systemClient.resource(projectQuotas).list({ namespace });
  return effectiveQuota(items).clusters?.limit ?? UNLIMITED;
}

async function create(call: Call): Promise<Reply> {
  await requireAdmin(call.client, 'quota:create');
  const { project_id, resource, hard_limit = 1 } = parseBody(QuotaBody, call.body);
  checkResource(resource ?? 'Cluster');
  if (project_id === undefined) throw invalidInput('Must provide a valid project ID.');
  const namespace = namespaceOf(call, project_id);
  await requireQuotaPermission(call, 'create', namespace);
  try {
    const created = await call.services.systemClient
      .resource(ResourceQuotas)
      .create({ metadata: { name: QUOTA_NAME, namespace }, spec: { hard: hardLimits(hard_limit) } });
    return { status: 201, body: viewOf(call, created) };
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    throw new MagnumError(409, `Quota for project ${project_id} already exists for resource Cluster.`);
  }
}

async function change(call: Call): Promise<Reply> {
  await requireAdmin(call.client, 'quota:update');
  const project = projectOf(call);
  const { hard_limit = 1 } = parseBody(QuotaBody, call.body);
  const namespace = namespaceOf(call, project);
  const value = { spec: { hard: hardLimits(hard_limit) } };
  await requireQuotaPermission(call, 'patch', namespace);
  const changed = await call.services.systemClient
    .resource(ResourceQuotas)
    .patch(QUOTA_NAME, { type: 'merge', value }, { namespace })
    .catch((error: unknown) => {
      throw replaceNotFound(error, notFound(project));
    });
  return { status: 202, body: viewOf(call, changed) };
}

async function remove(call: Call): Promise<Reply> {
  await requireAdmin(call.client, 'quota:delete');
  const project = projectOf(call);
  const namespace = namespaceOf(call, project);
  await requireQuotaPermission(call, 'delete', namespace);
  await call.services.systemClient
    .resource(ResourceQuotas)
    .delete(QUOTA_NAME, { namespace })
    .catch((error: unknown) => {
      throw replaceNotFound(error, notFound(project));
    });
  return { status: 204 };
}

/**
 * With a management cluster, the gateway does not serve ResourceQuotas, so Fairway writes them itself for users with
 * permission to do so.
 */
function requireQuotaPermission({ client }: Call, verb: Permission['verb'], namespace: string): Promise<void> {
  const action = `quota:${verb === 'patch' ? 'update' : verb}`;
  return requirePermission(client, { verb, resource: 'resourcequotas', namespace }, action);
}

async function read(call: Call, namespace: string): Promise<ResourceQuota | undefined> {
  try {
    return await call.services.systemClient.resource(ResourceQuotas).get(QUOTA_NAME, { namespace });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function viewOf({ services }: Call, { metadata, spec }: ResourceQuota) {
  const { uid = '', namespace = '', creationTimestamp } = metadata;
  return {
    id: rowNumber(uid),
    project_id: services.projectOfNamespace(namespace) ?? '',
    resource: 'Cluster',
    hard_limit: Number(spec?.hard?.[COUNT_RESOURCE] ?? UNLIMITED),
    created_at: magnumTime(creationTimestamp),
    updated_at: null,
  };
}

function hardLimits(limit: number): Record<string, string> {
  return { [COUNT_RESOURCE]: String(limit) };
}

function projectOf(call: Call): string {
  checkResource(param(call, 'resource'));
  return param(call, 'project');
}

function checkResource(resource: string): void {
  if (resource !== 'Cluster') throw invalidInput('Invalid input for field/attribute resource: it must be Cluster');
}

function namespaceOf({ services }: Call, project: string): string {
  const namespace = services.namespaceOfProject(project);
  if (namespace === undefined)
    throw new MagnumError(
      404,
      `The project ${project.slice(0, 255)} could not be found: it has no namespace in Fairway yet.`,
    );
  return namespace;
}

function notFound(project: string): MagnumError {
  return new MagnumError(
    404,
    `Quota could not be found: project ${project.slice(0, 255)} has none for resource Cluster.`,
  );
}
