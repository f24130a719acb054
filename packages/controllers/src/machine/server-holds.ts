import { ConditionReason } from '@fairway/api/conditions';
import type { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Server } from '@fairway/openstack/types/server';
import type { Problem } from '@fairway/tenancy/problem';

type Known = { readonly id: string } & Partial<Server>;

/** Why Nova does not delete a server. Pure. */
export function refusedServerProblem(server: Known, { detail }: OpenStackError): Problem {
  const { id } = server;
  if (server.locked || /\blocked\b/i.test(detail)) {
    const who = server.locked_reason ? ` (${server.locked_reason.slice(0, MAX_MESSAGE_LENGTH)})` : '';
    const message = `server ${id} is locked${who}: openstack server unlock ${id}`;
    return { reason: ConditionReason.ServerLocked, message };
  }
  const words = detail.slice(0, MAX_MESSAGE_LENGTH).replaceAll(id, '…').replace(/\.$/, '');
  const message = `Nova refuses to delete server ${id}${stateOf(server)}: ${words}; ${OPERATOR_ADVICE}`;
  return { reason: ConditionReason.CloudBusy, message };
}

const MAX_MESSAGE_LENGTH = 200;

/** A server whose requested deletion is taking longer than clouds usually do, or that Nova could not delete. Pure. */
export function busyServerProblem(server: Known): Problem {
  const { id, fault } = server;
  if (hasFailed(server)) {
    const why = fault ? `: ${fault.message.slice(0, MAX_MESSAGE_LENGTH).replaceAll(id, '…').replace(/\.$/, '')}` : '';
    const message = `Nova could not delete server ${id}, which is in ERROR${why}; ${OPERATOR_ADVICE}`;
    return { reason: ConditionReason.DeletionFailed, message };
  }
  const message = `Nova has not deleted server ${id} yet${stateOf(server)}; ${OPERATOR_ADVICE}`;
  return { reason: ConditionReason.CloudBusy, message };
}

const OPERATOR_ADVICE =
  'if this persists, the cloud operator must check nova-compute and delete it with openstack server delete --force; Fairway retries';

/** Whether Nova has stopped working on a server in ERROR. */
export function hasFailed(server: Known): boolean {
  return server.status === 'ERROR' && !server['OS-EXT-STS:task_state'];
}

function stateOf({ status, 'OS-EXT-STS:task_state': task }: Known): string {
  if (status === undefined) return '';
  return ` (${status}${task ? `, ${task}` : ''})`;
}
