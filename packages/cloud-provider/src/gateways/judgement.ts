import type { Service } from '@fairway/kube/kinds/generated/types';
import type { SecretName } from '@fairway/tenancy/cloud/certificate-name';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { CertificateContext } from './certificate-refs.ts';
import type { JudgedGateway } from './gateway-status.ts';
import { gatewayWishesOf, type ReadGateway } from './gateway-wishes.ts';
import type { Gateway, HttpRoute, ReferenceGrant } from './kinds.ts';
import { judgeListeners, secretsOfListeners } from './listeners.ts';
import { type Routing, routingOf } from './routing.ts';

/** What of the cluster decides what becomes of a Gateway. */
export interface GatewaySurroundings {
  readonly routes: readonly HttpRoute[];
  readonly serviceOf: (namespace: string, name: string) => Service | undefined;
  readonly grantsOf: (namespace: string) => readonly ReferenceGrant[];
  readonly labelsOf: (namespace: string) => Readonly<Record<string, string>>;
}

/** With what is in the Secrets that its listeners name. */
export type KnownSurroundings = GatewaySurroundings & Pick<CertificateContext, 'certificateOf'>;

/** The Secrets that it names, and may name. Pure. */
export function secretsOfGateway(
  { metadata: { namespace = '' }, spec }: Gateway,
  { grantsOf }: Pick<GatewaySurroundings, 'grantsOf'>,
): readonly SecretName[] {
  return 'problem' in spec ? [] : secretsOfListeners(spec, { namespace, grantsOf });
}

export interface Judgement extends Omit<ReadGateway, 'refused'> {
  readonly judged: JudgedGateway;
  readonly routing: Routing;
}

const NOWHERE = { vip: { subnetID: undefined, networkID: undefined }, memberSubnetID: undefined, floating: undefined };
const NO_WISHES = {
  wishes: { place: NOWHERE, floatingIP: undefined, keepsFloatingIP: false, sourceRanges: [] },
  warnings: [],
};

/** What a Gateway wants, what of it can't be had, and what its routes come to. Pure. */
export function judge(
  gateway: Gateway,
  settings: LoadBalancerSettings,
  { routes, ...surroundings }: KnownSurroundings,
): Judgement {
  const { spec } = gateway;
  const { namespace = '' } = gateway.metadata;
  const isReadable = !('problem' in spec);
  const listeners = isReadable ? judgeListeners(spec, { ...surroundings, namespace }) : [];
  const read = isReadable
    ? readGateway(gateway, settings)
    : { ...NO_WISHES, refused: { reason: 'Invalid', message: spec.problem } };
  const routing = routingOf(routes, { ...surroundings, gateway: gateway.metadata, listeners });
  const { refused, ...rest } = read;
  return { ...rest, routing, judged: { gateway, refused, listeners, attached: routing.attached } };
}

function readGateway(gateway: Gateway, settings: LoadBalancerSettings): ReadGateway {
  try {
    if ('problem' in gateway.spec) throw new ServiceRefused(gateway.spec.problem);
    return gatewayWishesOf(gateway, gateway.spec, settings);
  } catch (error) {
    if (!(error instanceof ServiceRefused)) throw error;
    return { ...NO_WISHES, refused: { reason: 'Invalid', message: error.message } };
  }
}
