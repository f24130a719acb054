import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import type { Gateway, GatewayClass, HttpRoute, ReferenceGrant, UnreadableSpec } from './kinds.ts';
import { GatewaySpec, GatewayStatus, GrantSpec, HttpRouteSpec, ParentRefs, RouteParents } from './schemas.ts';

/*
 * Parses cached objects. The owner of a cluster may define these kinds differently, so invalid objects are reported and
 * parsing never throws.
 */

interface RawObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const MAX_PROBLEM_LENGTH = 200;

function parseOrProblem<T>(schema: z.ZodType<T>, value: unknown): T | UnreadableSpec {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const path = ['spec', ...(issue?.path ?? [])].join('.');
  return { problem: `${path}: ${issue?.message ?? 'unreadable'}`.slice(0, MAX_PROBLEM_LENGTH) };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function identityOf({ metadata }: KubeObject): KubeObject['metadata'] {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp } = metadata;
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
  };
}

export function parseGatewayClass(object: RawObject): GatewayClass {
  const conditions = z.object({ conditions: GatewayStatus.shape.conditions }).safeParse(object.status ?? {});
  return {
    metadata: identityOf(object),
    controllerName: text(fieldOf(object.spec, 'controllerName')),
    hasParameters: fieldOf(object.spec, 'parametersRef') !== undefined,
    conditions: conditions.data?.conditions ?? [],
  };
}

export function parseGateway(object: RawObject): Gateway {
  const { annotations, finalizers, deletionTimestamp } = object.metadata;
  return {
    metadata: {
      ...identityOf(object),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    className: text(fieldOf(object.spec, 'gatewayClassName')),
    spec: parseOrProblem(GatewaySpec, object.spec),
    status: GatewayStatus.safeParse(object.status ?? {}).data ?? { conditions: [], listeners: [] },
  };
}

export function parseHttpRoute(object: RawObject): HttpRoute {
  return {
    metadata: identityOf(object),
    parentRefs: ParentRefs.safeParse(fieldOf(object.spec, 'parentRefs')).data ?? [],
    spec: parseOrProblem(HttpRouteSpec, object.spec),
    parents: RouteParents.safeParse(fieldOf(object.status, 'parents')).data ?? [],
  };
}

export function parseReferenceGrant(object: RawObject): ReferenceGrant {
  const { data } = GrantSpec.safeParse(object.spec);
  return { metadata: identityOf(object), from: data?.from ?? [], to: data?.to ?? [] };
}
