import type { Condition, KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { GatewaySpec, GatewayStatus, HttpRouteSpec, ParentRef, RouteParentStatus } from './schemas.ts';

/** https://gateway-api.sigs.k8s.io/reference/spec/ */
export const GATEWAY_GROUP = 'gateway.networking.k8s.io';

/** Why an object is invalid: a cluster may have its own definitions of these kinds. */
export interface UnreadableSpec {
  readonly problem: string;
}

export interface GatewayClass extends KubeObject {
  readonly controllerName: string | undefined;
  readonly hasParameters: boolean;
  readonly conditions: readonly Condition[];
}

export interface Gateway extends KubeObject {
  readonly className: string | undefined;
  readonly spec: GatewaySpec | UnreadableSpec;
  readonly status: GatewayStatus;
}

export interface HttpRoute extends KubeObject {
  readonly parentRefs: readonly ParentRef[];
  readonly spec: HttpRouteSpec | UnreadableSpec;
  readonly parents: readonly RouteParentStatus[];
}

/** Specifies which objects in other namespaces may refer to which objects in its own namespace. */
export interface ReferenceGrant extends KubeObject {
  readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
  /** All objects of the kind, if the name is undefined. */
  readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string | undefined }[];
}

function kind<T extends KubeObject>(version: string, plural: string, name: string, namespaced = true): ResourceType<T> {
  return { group: GATEWAY_GROUP, version, plural, kind: name, namespaced };
}

export const GatewayClasses = kind<GatewayClass>('v1', 'gatewayclasses', 'GatewayClass', false);
export const Gateways = kind<Gateway>('v1', 'gateways', 'Gateway');
export const HttpRoutes = kind<HttpRoute>('v1', 'httproutes', 'HTTPRoute');
export const ReferenceGrants = kind<ReferenceGrant>('v1beta1', 'referencegrants', 'ReferenceGrant');

/** Kinds that are watched if the cluster has them. */
export const GATEWAY_KINDS: readonly ResourceType[] = [GatewayClasses, Gateways, HttpRoutes, ReferenceGrants];
