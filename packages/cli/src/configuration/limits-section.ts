import { DEFAULT_NAMESPACE_LIMITS, type NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import { DEFAULT_LIMITS, type ServerLimits } from '@fairway/apiserver/server/limits';
import { z } from 'zod';
import { bytes, duration, setting, wholeNumber } from './setting.ts';

type Limits = ServerLimits & NamespaceLimits;

const DEFAULTS: Limits = { ...DEFAULT_LIMITS, ...DEFAULT_NAMESPACE_LIMITS };

const DESCRIPTIONS: Record<keyof Limits, string> = {
  maxConnections: 'open connections',
  maxConnectionsPerUser: 'maximum open connections per user',
  maxUnauthenticatedConnections: 'maximum unauthenticated connections',
  maxUnauthenticatedConnectionsPerAddress: 'maximum unauthenticated connections per address',
  maxPipelinedRequests: 'maximum pending requests per connection',
  handshakeTimeoutMs: 'timeout of a TLS handshake',
  headersTimeoutMs: "timeout of reading a request's headers",
  unauthenticatedTimeoutMs: 'maximum time that a connection may stay unauthenticated',
  bodyTimeoutMs: "timeout of reading a request's body",
  keepAliveTimeoutMs: 'time after which an idle connection is closed',
  stallTimeoutMs: 'maximum time that a client may stop reading a response',
  maxBodyBytes: 'maximum size of one request body',
  maxBodyBytesInFlight: 'maximum size of all request bodies at a time',
  maxBodyBytesInFlightPerUser: 'maximum size of all request bodies at a time per user',
  maxReadingRequests: 'maximum concurrent read requests',
  maxReadingRequestsPerUser: 'maximum concurrent read requests per user',
  maxMutatingRequests: 'maximum concurrent mutating requests',
  maxMutatingRequestsPerUser: 'maximum concurrent mutating requests per user',
  maxAnswerBytes: 'maximum size of all responses that clients have not read yet',
  maxAnswerBytesPerUser: 'maximum size of all responses that clients have not read yet, per user',
  maxWatches: 'watches',
  maxWatchesPerUser: 'maximum watches per user',
  maxWatchBacklogEvents: 'maximum events that wait for one watch',
  maxWatchBacklogBytes: 'maximum size of the events that wait for one watch',
  maxClustersPerNamespace: 'maximum Clusters per namespace',
  maxNodePoolsPerNamespace: 'maximum NodePools per namespace',
  maxCloudCredentialsPerNamespace: 'maximum CloudCredentials per namespace',
  maxSecretsPerNamespace: 'maximum Secrets per namespace',
  maxConfigMapsPerNamespace: 'maximum ConfigMaps per namespace',
  maxOtherObjectsPerNamespace: 'maximum objects of each other kind per namespace',
  maxObjectBytesPerNamespace: 'maximum size of all these objects per namespace; enforced by fairway up',
};

const MIB = 2 ** 20;
const MIN_DURATION_MS = 1_000;

/** `limits`: one key for each limit of the API server and of namespaces; names of durations have no unit. */
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
