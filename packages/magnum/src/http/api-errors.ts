import { ApiError, isApiError } from '@fairway/kube/object/api-error';
import { MagnumError, notAllowed } from './magnum-error.ts';

/** Magnum's names for fields in Fairway's kinds; other fields keep their names. */
const FIELDS: readonly (readonly [RegExp, string])[] = [
  [/^metadata\.name$/, 'name'],
  [/^spec\.version$/, 'labels.kube_tag'],
  [/^spec\.plan$/, 'cluster_template_id'],
  [/^spec\.credentialName$/, 'credential'],
  [/^spec\.flavor$/, 'flavor_id'],
  [/^spec\.image$/, 'image_id'],
  [/^spec\.replicas$/, 'node_count'],
  [/^spec\.minReplicas$/, 'min_node_count'],
  [/^spec\.maxReplicas$/, 'max_node_count'],
  [/^spec\.rootVolume\.sizeGiB$/, 'labels.boot_volume_size'],
  [/^spec\.rootVolume\.type$/, 'labels.boot_volume_type'],
  [/^spec\.availabilityZones.*$/, 'labels.availability_zone'],
  [/^spec\.network\.networkID$/, 'fixed_network'],
  [/^spec\.network\.subnetID$/, 'fixed_subnet'],
  [/^spec\.network\.nodesCIDR$/, 'labels.fixed_network_cidr'],
  [/^spec\.network\.gateway\.externalNetworkID$/, 'external_network_id'],
  [/^spec\.network\.dnsNameservers.*$/, 'dns_nameserver'],
  [/^spec\.podCIDR$/, 'labels.pods_network_cidr'],
  [/^spec\.serviceCIDR$/, 'labels.service_cluster_ip_range'],
  [/^spec\.apiServer\.allowedCIDRs.*$/, 'labels.api_master_lb_allowed_cidrs'],
  [/^spec\.apiServer\.keystone$/, 'labels.keystone_auth_enabled'],
  [/^spec\.cni\.type$/, 'network_driver'],
  [/^spec\.autoscaling\.enabled$/, 'labels.auto_scaling_enabled'],
  [/^spec\.floatingIPs\.enabled$/, 'floating_ip_enabled'],
  [/^spec\.template\.metadata\.labels/, 'node_labels'],
  [/^spec\.template\.spec\.taints/, 'node_taints'],
];

/** A warning of Fairway's API with Magnum's name of its field; undefined if it concerns no field. */
export function warningInMagnumsWords(warning: string): string | undefined {
  const end = warning.indexOf(': ');
  return end > 0 && warning.startsWith('spec.') ? `${fieldOf(warning.slice(0, end))}${warning.slice(end)}` : undefined;
}

function fieldOf(path: string): string {
  for (const [pattern, name] of FIELDS) if (pattern.test(path)) return path.replace(pattern, name);
  return path;
}

/** An error from Fairway's API in Magnum's format; `action` is the attempted action, such as `cluster:create`. */
export function fromApiError(error: ApiError, action: string): MagnumError {
  const { code, message, causes, retryAfterSeconds } = error;
  const options = { cause: error, retryAfterSeconds };
  switch (code) {
    case 401:
      return new MagnumError(401, 'The request you have made requires authentication.', options);
    case 403:
      if (/exceeded quota/.test(message)) return new MagnumError(403, `Resource limit exceeded: ${message}`, options);
      return isForbiddenByRole(message) ? notAllowed(action) : new MagnumError(403, message, options);
    case 422: {
      const messages = causes.map(({ field, message: why = '' }) =>
        field === undefined ? why : `${fieldOf(field)}: ${why}`,
      );
      return new MagnumError(400, messages.length > 0 ? messages.join('; ') : message, options);
    }
    case 400:
    case 404:
    case 408:
    case 409:
    case 413:
    case 415:
    case 429:
    case 503:
    case 504:
      return new MagnumError(code, message, options);
    default:
      return new MagnumError(500, 'An unknown exception occurred.', options);
  }
}

/** RBAC's message: `User "x" cannot create resource "clusters" in …`. */
function isForbiddenByRole(message: string): boolean {
  return /cannot \S+ (resource|path) /.test(message);
}

/** Converts any error to a response. */
export function magnumErrorOf(error: unknown, action: string): MagnumError {
  if (error instanceof MagnumError) return error;
  if (error instanceof ApiError) return fromApiError(error, action);
  return new MagnumError(500, 'An unknown exception occurred.', { cause: error });
}

/** The error for an object that was deleted after this call found it. */
export function replaceNotFound(error: unknown, refusal: MagnumError): unknown {
  return isApiError(error, 'NotFound') ? refusal : error;
}
