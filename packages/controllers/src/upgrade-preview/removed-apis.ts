import { compareVersions, minorOf } from '@fairway/api/domain/version-numbers';
import type { UpgradeFinding } from '@fairway/api/kinds/upgrade-plan-request';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import { truncateObjects } from './truncate-objects.ts';

/** A deprecated API that clients have used, and the minor version that no longer serves it. */
export interface DeprecatedApi {
  /** `policy/v1beta1 poddisruptionbudgets`. */
  readonly name: string;
  readonly removedIn: string;
}

/** kube-apiserver's metric of requests since its start (kubernetes.io/docs/reference/instrumentation/metrics). */
const METRIC = 'apiserver_requested_deprecated_apis{';
/** A real API server returns a few megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_APIS = 1_000;

/**
 * Reads the metrics of a tenant's API server line by line. Undefined if the server has no metrics. Rejects with its
 * error, or the signal's reason.
 */
export async function requestedDeprecatedApis(
  client: Pick<KubeClient, 'raw'>,
  signal: AbortSignal,
): Promise<readonly DeprecatedApi[] | undefined> {
  const found = new Map<string, DeprecatedApi>();
  let bytes = 0;
  try {
    const response = await client.raw({ method: 'GET', path: '/metrics', headers: { accept: 'text/plain' }, signal });
    for await (const line of response.lines()) {
      bytes += line.length + 1;
      if (bytes > MAX_BYTES) throw new Error(`its metrics exceed ${MAX_BYTES} bytes`);
      const api = line.startsWith(METRIC) ? parse(line) : undefined;
      if (api !== undefined && found.size < MAX_APIS) found.set(api.name, api);
    }
  } catch (error) {
    if (isApiError(error, 'NotFound', 'Forbidden', 'NotAcceptable')) return undefined;
    throw error;
  }
  return [...found.values()];
}

const LABEL = /(?:^|[{,])([a-z_]+)="([^"\\]{0,253})"/g;

function parse(line: string): DeprecatedApi | undefined {
  const end = line.indexOf('}');
  if (
    end < 0 ||
    Number(
      line
        .slice(end + 1)
        .trim()
        .split(' ')[0],
    ) === 0
  )
    return undefined;
  const labels = new Map([...line.slice(METRIC.length, end).matchAll(LABEL)].map(([, key, value]) => [key, value]));
  const {
    group = '',
    version = '',
    resource = '',
    removed = '',
  } = {
    group: labels.get('group'),
    version: labels.get('version'),
    resource: labels.get('resource'),
    removed: labels.get('removed_release'),
  };
  // An API that no release is scheduled to remove.
  if (!/^\d{1,4}\.\d{1,4}$/.test(removed) || resource === '') return undefined;
  return { name: `${group === '' ? version : `${group}/${version}`} ${resource}`, removedIn: removed };
}

/** APIs that clients of a cluster would lose with a different minor version. Pure. */
export function removedApiFindings(
  apis: readonly DeprecatedApi[] | undefined,
  { from, to }: { readonly from: string; readonly to: string },
): UpgradeFinding[] {
  if (minorOf(from) === minorOf(to)) return [];
  const type = 'RemovedAPIs';
  if (apis === undefined) {
    const message = `cannot determine whether clients use APIs that ${minorOf(to)} no longer serves: the API server of the cluster serves no metrics`;
    return [{ type, effect: 'Unknown', message }];
  }
  const removed = apis.filter(({ removedIn }) => compareVersions(`${removedIn}.0`, `${minorOf(to)}.0`) <= 0);
  if (removed.length === 0) return [];
  const message = `since the API server started, clients have used APIs that ${minorOf(to)} no longer serves: migrate them to newer API versions first (kubectl get --raw /metrics | grep apiserver_requested_deprecated_apis)`;
  return [
    {
      type,
      effect: 'Loses',
      message,
      ...truncateObjects(removed.map(({ name, removedIn }) => `${name} (removed in ${removedIn})`)),
    },
  ];
}
