import type { Server } from '../types/server.ts';

/** Why a server is in ERROR, if its owner can fix that. */
export type ServerFaultKind = 'outOfCapacity' | 'outOfAddresses' | 'antiAffinity' | 'quotaExceeded' | 'failed';

/** Undefined if the server has no fault. Nova's scheduler reports failures only in the fault. */
export function serverFaultKind(server: Pick<Server, 'status' | 'fault'>): ServerFaultKind | undefined {
  const message = server.fault?.message;
  if (message === undefined) return server.status === 'ERROR' ? 'failed' : undefined;
  // The scheduler checks the group first and the hypervisor checks it again, because two servers may arrive
  // there concurrently.
  if (/anti-affinity/i.test(message)) return 'antiAffinity';
  if (/no (more )?(fixed )?ip addresses available/i.test(message)) return 'outOfAddresses';
  if (
    /no valid host was found|exceeded maximum number of retries|exhausted all hosts|insufficient compute resources/i.test(
      message,
    )
  ) {
    return 'outOfCapacity';
  }
  if (/quota exceeded|maximum number of .{0,200} exceeded|exceeded for quota/i.test(message)) return 'quotaExceeded';
  return 'failed';
}
