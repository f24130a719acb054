import { DEFAULT_LIMITS, type ServerLimits } from '@fairway/apiserver/server/limits';
import { z } from 'zod';
import { bytes, duration, setting, wholeNumber } from './setting.ts';

const DESCRIPTIONS: Record<keyof ServerLimits, string> = {
  maxConnections: 'open connections',
  maxConnectionsPerUser: 'open connections of one user',
  maxUnauthenticatedConnections: 'connections on which nobody has authenticated',
  maxUnauthenticatedConnectionsPerAddress: 'the same from one address',
  maxPipelinedRequests: 'requests of one connection without an answer',
  handshakeTimeoutMs: 'time for a TLS handshake',
  headersTimeoutMs: 'time for the head of a request',
  unauthenticatedTimeoutMs: 'how long a connection may stay unauthenticated',
  bodyTimeoutMs: 'time for a body',
  keepAliveTimeoutMs: 'how long an idle connection stays open',
  stallTimeoutMs: 'how long a client may take nothing of what is sent to it',
  maxBodyBytes: 'size of one body',
  maxBodyBytesInFlight: 'size of all bodies at a time',
  maxBodyBytesInFlightPerUser: 'the same of one user',
  maxReadingRequests: 'reading requests at a time',
  maxReadingRequestsPerUser: 'the same of one user',
  maxMutatingRequests: 'mutating requests at a time',
  maxMutatingRequestsPerUser: 'the same of one user',
  maxAnswerBytes: 'size of all answers that are not read yet',
  maxAnswerBytesPerUser: 'the same of one user',
  maxWatches: 'watches',
  maxWatchesPerUser: 'watches of one user',
  maxWatchBacklogEvents: 'events that may wait for one watch',
  maxWatchBacklogBytes: 'size of what may wait for one watch',
};

const MIB = 2 ** 20;
const SHORTEST_MS = 1_000;

/** `limits`: each of the API server's limits under its own name; times without the unit. */
export const LimitsSection = z.strictObject(
  Object.fromEntries(Object.keys(DESCRIPTIONS).map((name) => limitSetting(name as keyof ServerLimits))),
);

function limitSetting(limit: keyof ServerLimits) {
  const facts = { description: DESCRIPTIONS[limit], option: `limits.${limit}` };
  const value = DEFAULT_LIMITS[limit];
  if (limit.endsWith('Ms')) {
    const allowed = 'a duration of at least 1s, such as 30s or 2m';
    const schema = setting(duration(SHORTEST_MS), { ...facts, allowed, default: `${value / 1000}s` });
    return [limit.slice(0, -'Ms'.length), schema] as const;
  }
  if (limit.includes('Bytes')) {
    const allowed = 'a size of at least 64Ki, such as 3Mi';
    return [limit, setting(bytes(MIB / 16), { ...facts, allowed, default: `${value / MIB}Mi` })] as const;
  }
  const allowed = 'a whole number of at least 1';
  return [limit, setting(wholeNumber(1), { ...facts, allowed, default: value })] as const;
}
