import type { Service } from '@fairway/kube/kinds/generated/types';
import type { SecretName } from '@fairway/tenancy/cloud/certificate-name';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { CertificateContext } from './certificate-refs.ts';
import type { ValidatedGateway } from './gateway-status.ts';
import type { Gateway, HttpRoute, ReferenceGrant } from './kinds.ts';
import { secretsOfListeners, validateListeners } from './listeners.ts';
import { type Routing, routingOf } from './routing.ts';
import { type ParsedGatewaySpec, specFromGateway } from './spec-from-gateway.ts';

/** The cluster state that a Gateway depends on. */
export interface GatewayContextObjects {
  readonly routes: readonly HttpRoute[];
  readonly serviceOf: (namespace: string, name: string) => Service | undefined;
  readonly grantsOf: (namespace: string) => readonly ReferenceGrant[];
  readonly labelsOf: (namespace: string) => Readonly<Record<string, string>>;
}

/** Includes the content of the Secrets that the Gateway's listeners refer to. */
export type ResolvedGatewayContext = GatewayContextObjects & Pick<CertificateContext, 'certificateOf'>;

/** The Secrets that the Gateway refers to and is permitted to use. Pure. */
export function secretsOfGateway(
  { metadata: { namespace = '' }, spec }: Gateway,
  { grantsOf }: Pick<GatewayContextObjects, 'grantsOf'>,
): readonly SecretName[] {
  return 'problem' in spec ? [] : secretsOfListeners(spec, { namespace, grantsOf });
}

export interface GatewayValidation extends Omit<ParsedGatewaySpec, 'refused'> {
  readonly validated: ValidatedGateway;
  readonly routing: Routing;
}

const NO_PLACEMENT = {
  vip: { subnetID: undefined, networkID: undefined },
  memberSubnetID: undefined,
  floatingIP: undefined,
};
const EMPTY_SPEC = {
  balancerSpec: { place: NO_PLACEMENT, floatingIP: undefined, keepsFloatingIP: false, sourceRanges: [] },
  warnings: [],
};

/** Parses and validates the spec of a Gateway, and computes the result for its routes. Pure. */
export function validateGateway(
  gateway: Gateway,
  settings: LoadBalancerSettings,
  { routes, ...context }: ResolvedGatewayContext,
): GatewayValidation {
  const { spec } = gateway;
  const { namespace = '' } = gateway.metadata;
  const isReadable = !('problem' in spec);
  const listeners = isReadable ? validateListeners(spec, { ...context, namespace }) : [];
  const read = isReadable
    ? readGateway(gateway, settings)
    : { ...EMPTY_SPEC, refused: { reason: 'Invalid', message: spec.problem } };
  const routing = routingOf(routes, { ...context, gateway: gateway.metadata, listeners });
  const { refused, ...rest } = read;
  return { ...rest, routing, validated: { gateway, refused, listeners, attached: routing.attached } };
}

function readGateway(gateway: Gateway, settings: LoadBalancerSettings): ParsedGatewaySpec {
  try {
    if ('problem' in gateway.spec) throw new ServiceRefused(gateway.spec.problem);
    return specFromGateway(gateway, gateway.spec, settings);
  } catch (error) {
    if (!(error instanceof ServiceRefused)) throw error;
    return { ...EMPTY_SPEC, refused: { reason: 'Invalid', message: error.message } };
  }
}
