import type { ApiRequest } from '../http/api.ts';
import type { World } from '../world.ts';
import { notFound } from './problem.ts';
import type { KeyContainer, KeySecret } from './records.ts';

const UUID_PATTERN = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

export function isUuid(id: string): boolean {
  return UUID_PATTERN.test(id);
}

/** The secret in a request's path, regardless of the caller; the policy decides on access. */
export function findSecret(world: World, { params }: ApiRequest): KeySecret {
  const id = params['id'] ?? '';
  if (!isUuid(id)) throw notFound('Not Found. Provided secret id is invalid.');
  const secret = unexpiredSecret(world, id);
  if (secret === undefined) throw notFound('Secret not found.');
  return secret;
}

/** The secret with this ID; undefined if it has expired. */
export function unexpiredSecret({ tables, clock }: World, id: string): KeySecret | undefined {
  const secret = tables.keySecrets.get(id);
  return secret !== undefined && isUnexpired(secret, clock.now()) ? secret : undefined;
}

export function isUnexpired({ expirationMs }: KeySecret, nowMs: number): boolean {
  return expirationMs === null || expirationMs > nowMs;
}

/** The secret that a reference points to, if it is in the project. */
export function secretOfProject(world: World, reference: string, projectId: string): KeySecret | undefined {
  const secret = unexpiredSecret(world, idOf(reference));
  return secret?.projectId === projectId ? secret : undefined;
}

/** The ID at the end of a reference. */
export function idOf(reference: string): string {
  return reference.replace(/\/$/, '').split('/').at(-1) ?? '';
}

export function findContainer(world: World, { params }: ApiRequest): KeyContainer {
  const id = params['id'] ?? '';
  if (!isUuid(id)) throw notFound('Not Found. Provided container id is invalid.');
  const container = world.tables.keyContainers.get(id);
  if (container === undefined) throw notFound('Secrets container not found.');
  return container;
}
