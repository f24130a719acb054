import {
  type CloudProfile,
  type CloudProfileStatus,
  cloudProfileName,
  cloudProfiles,
} from '@fairway/api/kinds/cloud-profile';
import { isApiError } from '@fairway/kube/object/api-error';
import { CommandError } from '@fairway/service/command-error';
import { dump } from 'js-yaml';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { ObjectForm } from '../output/objects.ts';
import { alignColumns } from '../output/table.ts';
import { markPlans, readPlans } from './allowing-plans.ts';
import { type CloudList, PLAN_LIMITED_LISTS } from './cloud-list.ts';

export interface CloudListOptions {
  readonly credential?: string;
  /** Only what this plan allows. */
  readonly plan?: string;
  readonly output?: ObjectForm;
}

export async function printCloudList(
  context: CliContext,
  globals: GlobalOptions,
  list: CloudList,
  options: CloudListOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { status = {} } = await readProfile(connection, options.credential, context.signal);
    const planLimit = PLAN_LIMITED_LISTS[list];
    const offered = planLimit === undefined ? [] : await readPlans(connection, options.plan, context.signal);
    const known = itemsOf(status, list);
    const items = known && planLimit ? markPlans(known, planLimit, { offered, planName: options.plan }) : known;
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    if (ready?.status === 'False') context.stderr.write(`warning: ${ready.message}\n`);
    for (const { list: name, total } of status.truncated ?? []) {
      if (STATUS_FIELDS[list].includes(name))
        context.stderr.write(`the cloud has ${total} ${name}; not all are shown\n`);
    }
    if (known === undefined || known.length === 0) {
      context.stderr.write(`The cloud offers the project no ${LIST_NOUNS[list]} that Fairway knows of.\n`);
    } else if (items?.length === 0) {
      context.stderr.write(
        `Plan "${options.plan}" allows none of the ${LIST_NOUNS[list]} that the cloud offers the project.\n`,
      );
    }
    if (items !== undefined && (items.length > 0 || options.output !== undefined)) {
      context.stdout.write(render(list, items, options.output));
    }
  });
}

/** The profile of the namespace's own cloud, or of a credential's project. */
export async function readProfile(
  { client, namespace }: Pick<Connection, 'client' | 'namespace'>,
  credential: string | undefined,
  signal: AbortSignal,
): Promise<CloudProfile> {
  const profiles = client.resource(cloudProfiles);
  try {
    return await profiles.get(cloudProfileName(credential), { namespace, signal });
  } catch (error) {
    if (!isApiError(error, 'NotFound') || error.subject?.name === undefined) throw error;
    const known = (await profiles.list({ namespace, signal })).items.flatMap(({ spec }) => spec.credentialName ?? []);
    const what =
      credential === undefined
        ? `namespace "${namespace}" has no cloud of its own`
        : `Fairway has no list for a credential "${credential}" in namespace "${namespace}"`;
    const advice =
      known.length > 0
        ? `choose a credential with --credential: ${known.join(', ')}`
        : 'create a credential with "fairway credential create NAME --cloud CLOUD", or ask the operator for a cloud (annotation fairway.dev/cloud of the namespace)';
    throw new CommandError(what, { advice, cause: error });
  }
}

/** Fields of the status, by list. */
const STATUS_FIELDS: Readonly<Record<CloudList, readonly string[]>> = {
  flavors: ['flavors'],
  images: ['images'],
  zones: ['zones'],
  networks: ['networks', 'externalNetworks'],
  'volume-types': ['volumeTypes'],
  quota: ['quotas'],
};

const LIST_NOUNS: Readonly<Record<CloudList, string>> = {
  flavors: 'flavors',
  images: 'images',
  zones: 'availability zones',
  networks: 'networks',
  'volume-types': 'volume types',
  quota: 'quotas',
};

type Item = Readonly<Record<string, unknown>> & { readonly name: string };

/** Undefined if Fairway has no information. */
export function itemsOf(status: CloudProfileStatus, list: CloudList): readonly Item[] | undefined {
  switch (list) {
    case 'flavors':
      return status.flavors;
    case 'images':
      return status.images;
    case 'zones':
      return status.zones?.map((name) => ({ name }));
    case 'networks': {
      const { networks, externalNetworks } = status;
      if (networks === undefined && externalNetworks === undefined) return undefined;
      const own = (networks ?? []).map((network) => ({ ...network, external: false }));
      return [...own, ...(externalNetworks ?? []).map((network) => ({ ...network, subnets: [], external: true }))];
    }
    case 'volume-types':
      return status.volumeTypes;
    case 'quota':
      return status.quotas?.map((quota) => ({
        ...quota,
        ...(quota.limit >= 0 && { left: Math.max(quota.limit - quota.used, 0) }),
      }));
  }
}

function render(list: CloudList, items: readonly Item[], output: ObjectForm | undefined): string {
  if (output === 'json') return `${JSON.stringify(items, undefined, 2)}\n`;
  if (output === 'yaml') return dump(items, { lineWidth: -1, noRefs: true });
  if (output === 'name') return items.map(({ name }) => `${name}\n`).join('');
  const isMarked = items.some((item) => item['plans'] !== undefined);
  const columns = isMarked ? [...COLUMNS[list], PLANS_COLUMN] : COLUMNS[list];
  return alignColumns([
    columns.map(([heading]) => heading),
    ...items.map((item) => columns.map(([, cell]) => cell(item))),
  ]);
}

type Column = readonly [heading: string, cell: (item: Item) => string];

const field =
  (name: string, unit = '') =>
  (item: Item): string =>
    item[name] === undefined ? '' : `${textOf(item[name])}${unit}`;

/** Cells contain only names, numbers, and yes or no. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const NAME: Column = ['NAME', field('name')];
const ID: Column = ['ID', field('id')];
/** Only if some plan restricts the list. */
const PLANS_COLUMN: Column = ['PLANS', ({ plans }) => (plans as readonly string[] | undefined)?.join(',') ?? ''];

const COLUMNS: Readonly<Record<CloudList, readonly Column[]>> = {
  flavors: [
    NAME,
    ['VCPUS', field('vcpus')],
    ['MEMORY', field('memoryMiB', ' MiB')],
    ['DISK', field('diskGiB', ' GiB')],
    ID,
  ],
  images: [
    NAME,
    ['OS', field('os')],
    ['MIN-DISK', field('minDiskGiB', ' GiB')],
    ['MIN-MEMORY', field('minMemoryMiB', ' MiB')],
    ID,
  ],
  zones: [NAME],
  networks: [NAME, ['EXTERNAL', field('external')], ['SUBNETS', subnetsOf], ID],
  'volume-types': [NAME, ID],
  quota: [
    ['QUOTA', field('name')],
    ['USED', field('used')],
    ['LIMIT', (item) => (item['limit'] === -1 ? 'none' : textOf(item['limit']))],
    ['LEFT', (item) => (item['left'] === undefined ? 'unlimited' : textOf(item['left']))],
  ],
};

function subnetsOf(item: Item): string {
  const subnets = item['subnets'] as readonly { readonly id: string; readonly cidr: string }[];
  return subnets.map(({ id, cidr }) => `${cidr} (${id})`).join(', ');
}
