import type { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { QuotaUse } from '@fairway/openstack/http/quota-use';
import { SERVICES } from '@fairway/openstack/services';

/** The longest interval of Fairway's retries (decision 26). */
const TRIES_AGAIN = 'Fairway tries again by itself, every five minutes at the latest';

/** An error of a cloud in words for people; it stays the same while its cause does. Request ids and durations are for the log. */
export function wordsOf(error: OpenStackError): string {
  const { kind, service, host, status } = error;
  const where = `${projectOf(service)}${host === undefined ? '' : ` at ${host}`}`;
  const during = `while ${doing(error)}; ${TRIES_AGAIN}`;
  switch (kind) {
    case 'network':
      return `${where} cannot be reached ${during} (${causeOf(error)})`;
    case 'timeout':
      return `${where} does not answer in time ${during}`;
    case 'unavailable': {
      const fails = status !== undefined && status >= 500 ? `answers with status ${status}` : 'gives no valid answer';
      return `${where} ${fails} ${during} (${detailOf(error)})`;
    }
    case 'quotaExceeded':
      return error.quotas.length === 0
        ? detailOf(error)
        : `quota exceeded for ${error.quotas.map(quotaWords).join(', ')}`;
    case 'rateLimited':
      // Without what the next refusal, which Fairway makes itself while it waits, would say otherwise.
      return isOwnBudget(error)
        ? detailOf(error)
        : `${projectOf(service)} limits how often it may be asked; ${TRIES_AGAIN} (${detailOf(error)})`;
    case 'notFound':
    case 'conflict':
    case 'unauthorized':
    case 'forbidden':
    case 'badRequest':
    case 'outOfCapacity':
      return detailOf(error);
  }
}

/** Fairway's budget of calls, rather than the cloud's. */
function isOwnBudget({ detail }: OpenStackError): boolean {
  return detail.startsWith('not sent within');
}

/** `cores: 20 of 20 used, 2 more wanted`. */
export function quotaWords({ resource, requested, used, limit }: QuotaUse): string {
  const name = QUOTA_NAMES[resource] ?? resource.replaceAll('_', ' ');
  const use = used !== undefined && limit !== undefined ? `${used} of ${limit} used` : undefined;
  const room = use ?? (limit === undefined ? undefined : `${limit} allowed`);
  const wanted = requested === undefined ? undefined : `${requested} more wanted`;
  const numbers = [room, wanted].filter((part) => part !== undefined).join(', ');
  return numbers === '' ? name : `${name}: ${numbers}`;
}

/** Units and names that do not speak for themselves. */
const QUOTA_NAMES: Readonly<Record<string, string>> = {
  ram: 'memory in MiB',
  gigabytes: 'volumes in GiB',
  port: 'ports',
  network: 'networks',
  subnet: 'subnets',
  router: 'routers',
  floatingip: 'floating IPs',
  security_group: 'security groups',
  security_group_rule: 'security group rules',
  server_group: 'server groups',
  load_balancer: 'load balancers',
  listener: 'listeners',
  pool: 'pools of load balancers',
  member: 'members of load balancers',
  health_monitor: 'health monitors',
  server: 'servers in a server group',
};

function projectOf(service: string): string {
  return SERVICES.find(({ type }) => type === service)?.project ?? service;
}

const VERBS = { GET: 'reading', POST: 'creating', PUT: 'changing', PATCH: 'changing', DELETE: 'deleting' } as const;

/** Lists run side by side: which of them fails first is random, so all reads are one. */
function doing({ service, method, template }: OpenStackError): string {
  if (service === 'identity' && template.endsWith('/auth/tokens')) return 'logging in';
  if (method === 'GET') return 'reading what the project has';
  if (template.endsWith('/action')) return 'changing servers';
  const words = template.split('/').filter((part) => part !== '' && !/^(\{.*|v[0-9.]+)$/.test(part));
  const noun = words[0]?.replace(/^os-/, '').replaceAll(/[-_]/g, ' ').replace('floatingips', 'floating IPs');
  return noun === undefined ? 'asking it' : `${VERBS[method]} ${noun}`;
}

/** A status holds no more than a condition may. */
const MAX_DETAIL = 500;

function detailOf({ detail }: OpenStackError): string {
  const text = detail
    .slice(0, 2 * MAX_DETAIL)
    .replaceAll(/\breq-[0-9a-f-]{36}\b/g, '…')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ');
  return text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL)}…` : text;
}

/** Reset or closed: which one is random, and both mean the same. */
function causeOf({ cause }: OpenStackError): string {
  const code =
    codeOf(cause) ??
    (typeof cause === 'object' && cause !== null && 'cause' in cause ? codeOf(cause.cause) : undefined);
  if (code === undefined) return BROKEN;
  if (/^(CERT|DEPTH|SELF|UNABLE|ERR_TLS)/.test(code)) return `its certificate is not trusted: ${code}`;
  const words = CAUSES[code];
  return words === undefined ? BROKEN : `${words}: ${code}`;
}

const BROKEN = 'the connection breaks';
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  UND_ERR_CONNECT_TIMEOUT: 'it does not accept connections in time',
};

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
