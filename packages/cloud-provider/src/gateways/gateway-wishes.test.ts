import { expect, test } from 'vitest';
import { SETTINGS } from '../load-balancers/testing/a-service.ts';
import { gatewayWishesOf } from './gateway-wishes.ts';
import { parseGateway } from './parse.ts';
import type { GatewaySpec } from './schemas.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

test.each<{ operator: boolean; annotation?: string; isPublic: boolean }>([
  { operator: false, isPublic: true },
  { operator: false, annotation: 'true', isPublic: false },
  { operator: true, isPublic: false },
  { operator: true, annotation: 'false', isPublic: true },
])('internal by the operator $operator, by the annotation $annotation: public $isPublic', (given) => {
  const annotations = given.annotation === undefined ? {} : { [INTERNAL]: given.annotation };
  const listeners = [{ name: 'http', port: 80, protocol: 'HTTP' }];
  const gateway = parseGateway({
    metadata: { name: 'shop', namespace: 'default', uid: 'u', annotations },
    spec: { gatewayClassName: 'octavia', listeners },
  });

  const { wishes } = gatewayWishesOf(gateway, gateway.spec as GatewaySpec, {
    ...SETTINGS,
    isInternal: given.operator,
  });

  expect(wishes.floatingIP !== undefined).toBe(given.isPublic);
});
