import type { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { QuotaUse } from '@fairway/openstack/http/quota-use';
import { SERVICES } from '@fairway/openstack/services';

/** The longest interval of Fairway's retries (decision 26). */
const RETRY_TEXT = 'Fairway retries at least every five minutes';

/**
 * Describes a cloud's error for users; stable while the cause is the same. Request IDs and durations belong in logs.
 */
export function describeError(error: OpenStackError): string {
  const { kind, service, host, status } = error;
  const where = `${projectOf(service)}${host === undefined ? '' : ` at ${host}`}`;
  const activity = `while ${activityOf(error)}; ${RETRY_TEXT}`;
  switch (kind) {
    case 'network':
      return `${where} cannot be reached ${activity} (${causeOf(error)})`;
    case 'timeout':
      return `${where} did not respond in time ${activity}`;
    case 'unavailable': {
      const failureText =
        status !== undefined && status >= 500 ? `returned status ${status}` : 'returned no valid response';
      return `${where} ${failureText} ${activity} (${detailOf(error)})`;
    }
    case 'quotaExceeded':
      return error.quotas.length === 0
        ? detailOf(error)
        : `quota exceeded for ${error.quotas.map(quotaText).join(', ')}`;
    case 'rateLimited':
      // Omits details that would differ in the next error, the one that Fairway itself throws while it waits.
      return isOwnBudget(error)
        ? detailOf(error)
        : `${projectOf(service)} is rate limiting requests; ${RETRY_TEXT} (${detailOf(error)})`;
    case 'notFound':
    case 'conflict':
    case 'unauthorized':
    case 'forbidden':
    case 'badRequest':
    case 'outOfCapacity':
      return detailOf(error);
  }
}

/** Whether Fairway's own request budget is exceeded, rather than the cloud's rate limit. */
function isOwnBudget({ detail }: OpenStackError): boolean {
  return detail.startsWith('not sent within');
}

/** `cores: 20 of 20 used, 2 more requested`. */
export function quotaText({ resource, requested, used, limit }: QuotaUse): string {
  const name = QUOTA_NAMES[resource] ?? resource.replaceAll('_', ' ');
  const use = used !== undefined && limit !== undefined ? `${used} of ${limit} used` : undefined;
  const available = use ?? (limit === undefined ? undefined : `${limit} allowed`);
  const requestedText = requested === undefined ? undefined : `${requested} more requested`;
  const numbers = [available, requestedText].filter((part) => part !== undefined).join(', ');
  return numbers === '' ? name : `${name}: ${numbers}`;
}

/** Units and names that need an explanation. */
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
  pool: 'load balancer pools',
  member: 'load balancer members',
  health_monitor: 'health monitors',
  server: 'servers in a server group',
};

function projectOf(service: string): string {
  return SERVICES.find(({ type }) => type === service)?.project ?? service;
}

const VERBS = { GET: 'reading', POST: 'creating', PUT: 'changing', PATCH: 'changing', DELETE: 'deleting' } as const;

/** Lists run concurrently, and which one fails first is random, so all reads have the same description. */
function activityOf({ service, method, template }: OpenStackError): string {
  if (service === 'identity' && template.endsWith('/auth/tokens')) return 'logging in';
  if (method === 'GET') return 'reading resources of the project';
  if (template.endsWith('/action')) return 'changing servers';
  const words = template.split('/').filter((part) => part !== '' && !/^(\{.*|v[0-9.]+)$/.test(part));
  const noun = words[0]?.replace(/^os-/, '').replaceAll(/[-_]/g, ' ').replace('floatingips', 'floating IPs');
  return noun === undefined ? 'asking it' : `${VERBS[method]} ${noun}`;
}

/** The length of messages in conditions is limited. */
const MAX_DETAIL_LENGTH = 500;

function detailOf({ detail }: OpenStackError): string {
  const text = detail
    .slice(0, 2 * MAX_DETAIL_LENGTH)
    .replaceAll(/\breq-[0-9a-f-]{36}\b/g, '…')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ');
  return text.length > MAX_DETAIL_LENGTH ? `${text.slice(0, MAX_DETAIL_LENGTH)}…` : text;
}

/** It is random whether the connection is reset or closed, so both have the same description. */
function causeOf({ cause }: OpenStackError): string {
  const code =
    codeOf(cause) ??
    (typeof cause === 'object' && cause !== null && 'cause' in cause ? codeOf(cause.cause) : undefined);
  if (code === undefined) return CONNECTION_LOST_TEXT;
  if (/^(CERT|DEPTH|SELF|UNABLE|ERR_TLS)/.test(code)) return `its certificate cannot be verified: ${code}`;
  const words = CAUSE_TEXTS[code];
  return words === undefined ? CONNECTION_LOST_TEXT : `${words}: ${code}`;
}

const CONNECTION_LOST_TEXT = 'the connection was lost';
const CAUSE_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'its host name cannot be resolved',
  EAI_AGAIN: 'its host name cannot be resolved',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
};

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
