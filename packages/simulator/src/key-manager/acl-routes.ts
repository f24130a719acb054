import { z } from 'zod';
import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { readJson } from './body.ts';
import { findContainer, findSecret } from './lookup.ts';
import { type Right, requireRight } from './policy.ts';
import type { Acl, KeyContainer, KeySecret, ProtectedObject } from './records.ts';
import { isoTime } from './times.ts';
import { containerRef, secretRef } from './views.ts';

const Rules = z.strictObject({
  read: z
    .strictObject({ users: z.array(z.string().max(255)).optional(), 'project-access': z.boolean().optional() })
    .optional(),
});
type ReadRule = z.infer<typeof Rules>['read'];

interface Subject<R extends ProtectedObject> {
  readonly template: string;
  /** Name of the resource's access rules in messages. */
  readonly name: 'SecretACL' | 'ContainerACL';
  readonly kind: 'secret' | 'container';
  readonly find: (request: ApiRequest) => R;
  readonly ref: (root: string, id: string) => string;
  readonly store: (row: R) => void;
}

/** Access rules for secrets and containers: whether the project can read them, and which other users can. */
export function aclRoutes(world: World): Route[] {
  const { tables, clock } = world;
  return [
    ...routesOf<KeySecret>(() => clock.now(), {
      template: '/v1/secrets/{id}/acl',
      name: 'SecretACL',
      kind: 'secret',
      find: (request) => findSecret(world, request),
      ref: secretRef,
      store: (row) => tables.keySecrets.put(row),
    }),
    ...routesOf<KeyContainer>(() => clock.now(), {
      template: '/v1/containers/{id}/acl',
      name: 'ContainerACL',
      kind: 'container',
      find: (request) => findContainer(world, request),
      ref: containerRef,
      store: (row) => tables.keyContainers.put(row),
    }),
  ];
}

function routesOf<R extends ProtectedObject>(
  now: () => number,
  { template, name, kind, find, ref, store }: Subject<R>,
): Route[] {
  const found = (request: ApiRequest, right: Right, operation: string): R => {
    const row = find(request);
    requireRight(request.access, right, row, operation, kind);
    return row;
  };
  const write = (
    request: ApiRequest,
    next: (row: R, rule: NonNullable<ReadRule>) => Acl | null,
    missingFields: 'keep' | 'end',
  ) => {
    const row = found(request, 'change', `${name}(s) Update`);
    const { read } = readJson(request, { name: 'ACL', schema: Rules });
    // An empty rule counts as absent.
    const isRule = read !== undefined && Object.keys(read).length > 0;
    if (isRule) store({ ...row, acl: next(row, read) });
    else if (missingFields === 'end') store({ ...row, acl: null });
    return ok({ acl_ref: `${ref(request.serviceUrl, row.id)}/acl` });
  };
  return [
    { method: 'GET', template, handle: (request) => show(found(request, 'seeAcl', `${name}(s) retrieval`)) },
    {
      method: 'PUT',
      template,
      handle: (request) =>
        write(request, ({ acl }, rule) => mergedAcl(acl, { users: [], 'project-access': true, ...rule }, now()), 'end'),
    },
    {
      method: 'PATCH',
      template,
      handle: (request) => write(request, ({ acl }, rule) => mergedAcl(acl, rule, now()), 'keep'),
    },
    {
      method: 'DELETE',
      template,
      handle(request) {
        store({ ...found(request, 'change', `${name}(s) deletion`), acl: null });
        return ok(null);
      },
    },
  ];
}

function mergedAcl(acl: Acl | null, rule: NonNullable<ReadRule>, nowMs: number): Acl {
  return {
    projectAccess: rule['project-access'] ?? acl?.projectAccess ?? true,
    users: [...new Set(rule.users ?? acl?.users ?? [])],
    createdMs: acl?.createdMs ?? nowMs,
    updatedMs: nowMs,
  };
}

function show({ acl }: ProtectedObject): ApiResponse {
  if (acl === null) return ok({ read: { 'project-access': true } });
  const { projectAccess, users, createdMs, updatedMs } = acl;
  return ok({
    read: { 'project-access': projectAccess, users, created: isoTime(createdMs), updated: isoTime(updatedMs) },
  });
}
