import { formatTime } from '@fairway/base/clock';
import { isAdmin, requirePermission } from '../access/permissions.ts';
import { templateIdOf } from '../clusters/cluster-view.ts';
import { clusterRecord } from '../clusters/record.ts';
import { readVisibleClusters } from '../clusters/stored-cluster.ts';
import { parseBody } from '../http/body.ts';
import { type Call, param, type Reply, type Route } from '../http/call.ts';
import { type JsonPatch, parsePatch, parseStructure, wholeNumber } from '../http/json-patch.ts';
import { invalidInput, MagnumError, notAllowed } from '../http/magnum-error.ts';
import { pageOf, pageReply } from '../http/page.ts';
import { findTemplate, ownTemplates, readOffer, readTemplates } from './find-template.ts';
import { checkNetworkDriver } from './network-drivers.ts';
import { checkTemplate, type Template, TemplateBody, type TemplateFields, templateView } from './template.ts';

export const TEMPLATE_ROUTES: readonly Route[] = [
  { method: 'GET', path: 'clustertemplates', action: 'clustertemplate:get_all', handle: (call) => list(call, '') },
  {
    method: 'GET',
    path: 'clustertemplates/detail',
    action: 'clustertemplate:detail',
    handle: (call) => list(call, '/detail'),
  },
  { method: 'GET', path: 'clustertemplates/{template}', action: 'clustertemplate:get', handle: show },
  { method: 'POST', path: 'clustertemplates', action: 'clustertemplate:create', handle: create },
  { method: 'PATCH', path: 'clustertemplates/{template}', action: 'clustertemplate:update', handle: change },
  { method: 'DELETE', path: 'clustertemplates/{template}', action: 'clustertemplate:delete', handle: remove },
];

async function list(call: Call, suffix: string): Promise<Reply> {
  const query = pageOf(call.query);
  await requireReadPermission(call, 'clustertemplate:get_all');
  const seesHidden = await isAdmin(call.client);
  const templates = (await readTemplates(call)).filter(({ fields }) => seesHidden || !fields.hidden);
  const pageItems = templates.map((template) => ({
    marker: template.uuid,
    created: `${template.createdAt} ${template.name}`,
    view: templateView(template, call.url),
  }));
  return pageReply(call, { name: 'clustertemplates', path: `clustertemplates${suffix}` }, pageItems, query);
}

async function show(call: Call): Promise<Reply> {
  await requireReadPermission(call, 'clustertemplate:get');
  const template = findTemplate(await readTemplates(call), param(call, 'template'));
  return { status: 200, body: templateView(template, call.url) };
}

async function create(call: Call): Promise<Reply> {
  await requirePermission(
    call.client,
    { verb: 'create', resource: 'clusters', namespace: call.caller.namespace },
    'clustertemplate:create',
  );
  const fields = parseBody(TemplateBody, call.body);
  checkTemplate(fields);
  await requireNetworkDriver(call, fields, undefined);
  await requirePublisher(call, fields);
  const created = await ownTemplates(call).create(call.caller.namespace, fields, call.caller.userId);
  return { status: 201, body: templateView(created, call.url) };
}

/** Attributes that can change while a template is in use, because clusters do not depend on them. */
const MUTABLE_IN_USE_ATTRIBUTES = ['name', 'hidden', 'tags', 'public'];

async function change(call: Call): Promise<Reply> {
  const { template, isUsed } = await requireChangeableTemplate(call, 'clustertemplate:update');
  const patch = parsePatch(call.body);
  const isAllowed = patch.every(({ path }) => MUTABLE_IN_USE_ATTRIBUTES.includes(path.slice(1)));
  if (isUsed && !isAllowed) throw templateInUseError(template);
  const fields = parseBody(TemplateBody, JSON.stringify(applyPatch(template.fields, patch)));
  checkTemplate(fields);
  await requireNetworkDriver(call, fields, template.fields);
  if (fields.public !== template.fields.public || fields.hidden !== template.fields.hidden)
    await requirePublisher(call, fields);
  const changed = await ownTemplates(call).replace(template, fields, formatTime(call.clock.now()));
  return { status: 200, body: templateView(changed, call.url) };
}

async function requireNetworkDriver(
  call: Call,
  { network_driver, labels }: TemplateFields,
  stored: TemplateFields | undefined,
): Promise<void> {
  const { plans } = await readOffer(call);
  const plan = plans.find(({ metadata }) => metadata.name === labels?.['fairway_plan']);
  checkNetworkDriver(network_driver, { stored: stored?.network_driver, plan, nowMs: call.clock.now() });
}

async function remove(call: Call): Promise<Reply> {
  const { template, isUsed } = await requireChangeableTemplate(call, 'clustertemplate:delete');
  if (isUsed) throw templateInUseError(template);
  await ownTemplates(call).delete(template);
  return { status: 204 };
}

async function requireChangeableTemplate(
  call: Call,
  action: string,
): Promise<{ readonly template: Template; readonly isUsed: boolean }> {
  await requirePermission(
    call.client,
    { verb: 'create', resource: 'clusters', namespace: call.caller.namespace },
    action,
  );
  const templates = await readTemplates(call);
  const template = findTemplate(templates, param(call, 'template'));
  if (template.offer)
    throw new MagnumError(
      403,
      `ClusterTemplate ${template.name} is managed by the operator: it is generated from a plan and a Kubernetes version`,
    );
  if (template.projectId !== call.caller.project.id && !(await isAdmin(call.client))) throw notAllowed(action);
  const clustersUsing = (await readVisibleClusters(call, false)).filter(
    (stored) =>
      templateIdOf(stored, templates) === template.uuid ||
      clusterRecord(stored.cluster).cluster_template_id === template.uuid,
  );
  return { template, isUsed: clustersUsing.length > 0 };
}

function templateInUseError({ uuid }: Template): MagnumError {
  return invalidInput(`ClusterTemplate ${uuid} is referenced by one or multiple clusters.`);
}

async function requirePublisher({ client }: Call, { public: isPublic, hidden }: TemplateFields): Promise<void> {
  if ((isPublic || hidden) && !(await isAdmin(client))) {
    throw new MagnumError(403, 'Not authorized to set public or hidden flag for cluster template.');
  }
}

async function requireReadPermission({ client, caller }: Call, action: string): Promise<void> {
  await requirePermission(client, { verb: 'list', resource: 'clusters', namespace: caller.namespace }, action);
}

const INTEGER_ATTRIBUTES = ['docker_volume_size', 'apiserver_port'];

function applyPatch(fields: TemplateFields, patch: JsonPatch): Record<string, unknown> {
  // Without a prototype, so that `/__proto__` is an unknown attribute like any other.
  const next: Record<string, unknown> = Object.assign(Object.create(null), fields);
  for (const { op, path, value } of patch) {
    const [name = '', key, ...extraSegments] = path.slice(1).split('/');
    if (key !== undefined && (name !== 'labels' || extraSegments.length > 0))
      throw invalidInput(`Couldn't apply patch. Reason: ${path} does not exist`);
    if (key !== undefined) {
      const { [key]: _, ...otherLabels } = (next['labels'] ?? {}) as Record<string, unknown>;
      next['labels'] = op === 'remove' ? otherLabels : { ...otherLabels, [key]: value };
    } else if (op === 'remove' || value === '') {
      // Forms send an empty string for unset fields.
      delete next[name];
    } else {
      next[name] =
        name === 'labels'
          ? parseStructure(path, value)
          : INTEGER_ATTRIBUTES.includes(name)
            ? wholeNumber(path, value)
            : toBoolean(value);
    }
  }
  return next;
}

/** The command-line client sends `true` as a string. */
function toBoolean(value: unknown): unknown {
  return value === 'True' || value === 'true' ? true : value === 'False' || value === 'false' ? false : value;
}
