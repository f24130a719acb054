import { DEFAULT_NAMESPACE_LIMITS, type NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import { DEFAULT_LIMITS, type ServerLimits } from '@fairway/apiserver/server/limits';
import { z } from 'zod';
import { bytes, duration, setting, wholeNumber } from './setting.ts';

type Limits = ServerLimits & NamespaceLimits;

const DEFAULTS: Limits = { ...DEFAULT_LIMITS, ...DEFAULT_NAMESPACE_LIMITS };

const DESCRIPTIONS: Record<keyof Limits, string> = {
  maxConnections: 'maximum number of open connections',
  maxConnectionsPerUser: 'maximum number of open connections per user',
  maxUnauthenticatedConnections: 'maximum number of unauthenticated connections',
  maxUnauthenticatedConnectionsPerAddress: 'maximum number of unauthenticated connections per address',
  maxPipelinedRequests: 'maximum number of pending requests per connection',
  handshakeTimeoutMs: 'timeout for a TLS handshake',
  headersTimeoutMs: 'timeout for reading the headers of a request',
  unauthenticatedTimeoutMs: 'maximum time that a connection may stay unauthenticated',
  bodyTimeoutMs: 'timeout for reading the body of a request',
  keepAliveTimeoutMs: 'time after which an idle connection is closed',
  stallTimeoutMs: 'maximum time that a client may stop reading a response',
  maxBodyBytes: 'maximum size of one request body',
  maxBodyBytesInFlight: 'maximum total size of all request bodies in flight',
  maxBodyBytesInFlightPerUser: 'maximum total size of all request bodies in flight, per user',
  maxReadingRequests: 'maximum number of concurrent read requests',
  maxReadingRequestsPerUser: 'maximum number of concurrent read requests per user',
  maxMutatingRequests: 'maximum number of concurrent mutating requests',
  maxMutatingRequestsPerUser: 'maximum number of concurrent mutating requests per user',
  maxAnswerBytes: 'maximum total size of all responses that clients have not read yet',
  maxAnswerBytesPerUser: 'maximum total size of all responses that clients have not read yet, per user',
  maxWatches: 'maximum number of watches',
  maxWatchesPerUser: 'maximum number of watches per user',
  maxWatchBacklogEvents: 'maximum number of events that wait for one watch',
  maxWatchBacklogBytes: 'maximum total size of the events that wait for one watch',
  maxClustersPerNamespace: 'maximum number of Clusters per namespace',
  maxNodePoolsPerNamespace: 'maximum number of NodePools per namespace',
  maxCloudCredentialsPerNamespace: 'maximum number of CloudCredentials per namespace',
  maxSecretsPerNamespace: 'maximum number of Secrets per namespace',
  maxConfigMapsPerNamespace: 'maximum number of ConfigMaps per namespace',
  maxOtherObjectsPerNamespace: 'maximum number of objects of each other kind per namespace',
  maxObjectBytesPerNamespace: 'maximum total size of all these objects per namespace; enforced by `fairway up`',
};

const MIB = 2 ** 20;
const MIN_DURATION_MS = 1_000;

/** `limits`: one key for each limit of the API server and of namespaces; names of durations contain no unit. */
export const LimitsSection = z.strictObject(
  Object.fromEntries(Object.keys(DESCRIPTIONS).map((name) => limitSetting(name as keyof Limits))),
);

function limitSetting(limit: keyof Limits) {
  const facts = { description: DESCRIPTIONS[limit], option: `limits.${limit}` };
  const value = DEFAULTS[limit];
  if (limit.endsWith('Ms')) {
    const allowed = 'a duration of at least 1s, such as 30s or 2m';
    const schema = setting(duration(MIN_DURATION_MS), { ...facts, allowed, default: `${value / 1000}s` });
    return [limit.slice(0, -'Ms'.length), schema] as const;
  }
  if (limit.includes('Bytes')) {
    const allowed = 'a size of at least 64Ki, such as 3Mi';
    return [limit, setting(bytes(MIB / 16), { ...facts, allowed, default: `${value / MIB}Mi` })] as const;
  }
  const allowed = 'a whole number of at least 1';
  return [limit, setting(wholeNumber(1), { ...facts, allowed, default: value })] as const;
}
