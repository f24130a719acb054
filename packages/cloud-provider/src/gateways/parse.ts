import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import type { Gateway, GatewayClass, HttpRoute, ReferenceGrant, Unreadable } from './kinds.ts';
import { GatewaySpec, GatewayStatus, GrantSpec, HttpRouteSpec, ParentRefs, RouteParents } from './schemas.ts';

/* Parses cached objects. A cluster's owner may define these kinds differently, so invalid objects are reported and nothing is thrown. */

interface Raw extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const MAX_PROBLEM = 200;

function parsed<T>(schema: z.ZodType<T>, value: unknown): T | Unreadable {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const path = ['spec', ...(issue?.path ?? [])].join('.');
  return { problem: `${path}: ${issue?.message ?? 'unreadable'}`.slice(0, MAX_PROBLEM) };
}

function part(value: unknown, name: string): unknown {
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

export function parseGatewayClass(object: Raw): GatewayClass {
  const conditions = z.object({ conditions: GatewayStatus.shape.conditions }).safeParse(object.status ?? {});
  return {
    metadata: identityOf(object),
    controllerName: text(part(object.spec, 'controllerName')),
    hasParameters: part(object.spec, 'parametersRef') !== undefined,
    conditions: conditions.data?.conditions ?? [],
  };
}

export function parseGateway(object: Raw): Gateway {
  const { annotations, finalizers, deletionTimestamp } = object.metadata;
  return {
    metadata: {
      ...identityOf(object),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    className: text(part(object.spec, 'gatewayClassName')),
    spec: parsed(GatewaySpec, object.spec),
    status: GatewayStatus.safeParse(object.status ?? {}).data ?? { conditions: [], listeners: [] },
  };
}

export function parseHttpRoute(object: Raw): HttpRoute {
  return {
    metadata: identityOf(object),
    parentRefs: ParentRefs.safeParse(part(object.spec, 'parentRefs')).data ?? [],
    spec: parsed(HttpRouteSpec, object.spec),
    parents: RouteParents.safeParse(part(object.status, 'parents')).data ?? [],
  };
}

export function parseReferenceGrant(object: Raw): ReferenceGrant {
  const { data } = GrantSpec.safeParse(object.spec);
  return { metadata: identityOf(object), from: data?.from ?? [], to: data?.to ?? [] };
}
