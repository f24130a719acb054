import { formatTime } from '@fairway/base/clock';
import { isAdmin, requireRight } from '../access/may.ts';
import { templateIdOf } from '../clusters/cluster-view.ts';
import { clusterRecord } from '../clusters/record.ts';
import { readVisible } from '../clusters/stored-cluster.ts';
import { parseBody } from '../http/body.ts';
import { type Call, param, type Reply, type Route } from '../http/call.ts';
import { type JsonPatch, parsePatch, structure, wholeNumber } from '../http/json-patch.ts';
import { invalidInput, MagnumError, notAllowed } from '../http/magnum-error.ts';
import { pageOf, pageReply } from '../http/page.ts';
import { findTemplate, ownTemplates, readTemplates } from './find-template.ts';
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
  await mayRead(call, 'clustertemplate:get_all');
  const seesHidden = await isAdmin(call.client);
  const templates = (await readTemplates(call)).filter(({ fields }) => seesHidden || !fields.hidden);
  const listed = templates.map((template) => ({
    marker: template.uuid,
    created: `${template.createdAt} ${template.name}`,
    view: templateView(template, call.url),
  }));
  return pageReply(call, { name: 'clustertemplates', path: `clustertemplates${suffix}` }, listed, query);
}

async function show(call: Call): Promise<Reply> {
  await mayRead(call, 'clustertemplate:get');
  const template = findTemplate(await readTemplates(call), param(call, 'template'));
  return { status: 200, body: templateView(template, call.url) };
}

async function create(call: Call): Promise<Reply> {
  await requireRight(
    call.client,
    { verb: 'create', resource: 'clusters', namespace: call.caller.namespace },
    'clustertemplate:create',
  );
  const fields = parseBody(TemplateBody, call.body);
  checkTemplate(fields);
  await requirePublisher(call, fields);
  const made = await ownTemplates(call).create(call.caller.namespace, fields, call.caller.userId);
  return { status: 201, body: templateView(made, call.url) };
}

/** For a template in use, only attributes that clusters do not depend on can change. */
const FREE_WHEN_USED = ['name', 'hidden', 'tags', 'public'];

async function change(call: Call): Promise<Reply> {
  const { template, isUsed } = await changeable(call, 'clustertemplate:update');
  const patch = parsePatch(call.body);
  const isFree = patch.every(({ path }) => FREE_WHEN_USED.includes(path.slice(1)));
  if (isUsed && !isFree) throw referenced(template);
  const fields = parseBody(TemplateBody, JSON.stringify(patched(template.fields, patch)));
  checkTemplate(fields);
  if (fields.public !== template.fields.public || fields.hidden !== template.fields.hidden)
    await requirePublisher(call, fields);
  const changed = await ownTemplates(call).replace(template, fields, formatTime(call.clock.now()));
  return { status: 200, body: templateView(changed, call.url) };
}

async function remove(call: Call): Promise<Reply> {
  const { template, isUsed } = await changeable(call, 'clustertemplate:delete');
  if (isUsed) throw referenced(template);
  await ownTemplates(call).delete(template);
  return { status: 204 };
}

async function changeable(
  call: Call,
  action: string,
): Promise<{ readonly template: Template; readonly isUsed: boolean }> {
  await requireRight(call.client, { verb: 'create', resource: 'clusters', namespace: call.caller.namespace }, action);
  const templates = await readTemplates(call);
  const template = findTemplate(templates, param(call, 'template'));
  if (template.offer)
    throw new MagnumError(
      403,
      `ClusterTemplate ${template.name} is managed by the operator: it is generated from a plan and a Kubernetes version`,
    );
  if (template.projectId !== call.caller.project.id && !(await isAdmin(call.client))) throw notAllowed(action);
  const users = (await readVisible(call, false)).filter(
    (stored) =>
      templateIdOf(stored, templates) === template.uuid ||
      clusterRecord(stored.cluster).cluster_template_id === template.uuid,
  );
  return { template, isUsed: users.length > 0 };
}

function referenced({ uuid }: Template): MagnumError {
  return invalidInput(`ClusterTemplate ${uuid} is referenced by one or multiple clusters.`);
}

async function requirePublisher({ client }: Call, { public: isPublic, hidden }: TemplateFields): Promise<void> {
  if ((isPublic || hidden) && !(await isAdmin(client))) {
    throw new MagnumError(403, 'Not authorized to set public or hidden flag for cluster template.');
  }
}

async function mayRead({ client, caller }: Call, action: string): Promise<void> {
  await requireRight(client, { verb: 'list', resource: 'clusters', namespace: caller.namespace }, action);
}

const WHOLE_NUMBERS = ['docker_volume_size', 'apiserver_port'];

function patched(fields: TemplateFields, patch: JsonPatch): Record<string, unknown> {
  // Without a prototype, so `/__proto__` is an unknown attribute like others.
  const next: Record<string, unknown> = Object.assign(Object.create(null), fields);
  for (const { op, path, value } of patch) {
    const [name = '', key, ...deeper] = path.slice(1).split('/');
    if (key !== undefined && (name !== 'labels' || deeper.length > 0))
      throw invalidInput(`Couldn't apply patch. Reason: ${path} does not exist`);
    if (key !== undefined) {
      const { [key]: _, ...others } = (next['labels'] ?? {}) as Record<string, unknown>;
      next['labels'] = op === 'remove' ? others : { ...others, [key]: value };
    } else if (op === 'remove' || value === '') {
      // Forms send an empty string for unset fields.
      delete next[name];
    } else {
      next[name] =
        name === 'labels'
          ? structure(path, value)
          : WHOLE_NUMBERS.includes(name)
            ? wholeNumber(path, value)
            : truth(value);
    }
  }
  return next;
}

/** The command-line client sends `true` as a string. */
function truth(value: unknown): unknown {
  return value === 'True' || value === 'true' ? true : value === 'False' || value === 'false' ? false : value;
}
