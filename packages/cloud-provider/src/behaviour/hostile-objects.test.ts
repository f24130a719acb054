import { excessiveGrowth, excessiveItemGrowth } from '@fairway/base/testing/growth';
import { describe, expect, test } from 'vitest';
import { parseGateway, parseGatewayClass, parseHttpRoute, parseReferenceGrant } from '../gateways/parse.ts';
import { INGRESS_ANNOTATION } from '../ingresses/annotation-names.ts';
import { specFromIngress } from '../ingresses/spec-from-ingress.ts';
import { ANNOTATION } from '../load-balancers/annotation-names.ts';
import { specFromService } from '../load-balancers/spec-from-service.ts';
import { aService, HTTP, SETTINGS } from '../load-balancers/testing/services.ts';
import { readShareParameters } from '../shares/share-parameters.ts';
import { readSnapshotParameters } from '../volume-snapshots/snapshot-parameters.ts';
import { readParameters } from '../volumes/class-parameters.ts';

type Reader = (text: string) => unknown;

const words = (text: string) => text.split(/[ ,;=/]/);
/** One item for every 20 characters. */
const each = <T>(text: string, make: (index: number) => T) =>
  Array.from({ length: text.length / 20 }, (_, i) => make(i));
const recordOf = (text: string) => Object.fromEntries(each(text, (index) => [`key-${index}`, text.slice(0, 20)]));

const readAnnotations = (annotations: Record<string, string>): Reader => {
  const service = { ...aService(), metadata: { name: 'web', namespace: 'shop', uid: 'u', annotations } };
  return () => specFromService(service, SETTINGS);
};
const backend = { service: { name: 'web', port: { number: 80 } } };

/**
 * Strings that tenants write into objects in their clusters, as read from caches. A field may be up to a megabyte long.
 */
describe('reads objects of tenant clusters in linear time:', () => {
  test.each<[string, Reader]>([
    ...Object.values(ANNOTATION).map((name): [string, Reader] => [
      name,
      (text) => readAnnotations({ [name]: text })(text),
    ]),
    ['annotations of a Service', (text) => readAnnotations(recordOf(text))(text)],
    ['source ranges', (text) => specFromService(aService({ loadBalancerSourceRanges: words(text) }), SETTINGS)],
    ['an address of a Service', (text) => specFromService(aService({ loadBalancerIP: text }), SETTINGS)],
  ])('%s', async (_, read) => {
    expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
  });

  test.each<[string, Reader]>([
    ...Object.values(INGRESS_ANNOTATION).map((name): [string, Reader] => [
      name,
      (text) =>
        specFromIngress(
          { metadata: { name: 'a', annotations: { [name]: text } }, spec: { defaultBackend: backend } },
          SETTINGS,
        ),
    ]),
    [
      'hosts of an Ingress',
      (text) => specFromIngress({ metadata: { name: 'a' }, spec: { tls: [{ hosts: words(text) }] } }, SETTINGS),
    ],
  ])('%s', async (_, read) => {
    expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
  });

  const parameters = ['type', 'availability', 'fsType', 'encrypted', 'a', 'nfs-shareClient', 'force-create'];
  const raw = (fields: object) => ({ metadata: { name: 'a', namespace: 'b', uid: 'u' }, ...fields }) as never;

  test.each<[string, Reader]>([
    ...parameters.flatMap((name): [string, Reader][] => [
      [`${name} of volumes`, (text) => readParameters({ [name]: text })],
      [`${name} of shares`, (text) => readShareParameters({ [name]: text })],
      [`${name} of snapshots`, (text) => readSnapshotParameters({ [name]: text })],
    ]),
    [
      'parameters',
      (text) => [readParameters, readShareParameters, readSnapshotParameters].map((one) => one(recordOf(text))),
    ],
    [
      'a GatewayClass',
      (text) => parseGatewayClass(raw({ spec: { controllerName: text, parametersRef: recordOf(text) } })),
    ],
    [
      'grants',
      (text) =>
        parseReferenceGrant(raw({ spec: { from: each(text, () => recordOf('a'.repeat(40))), to: words(text) } })),
    ],
  ])('%s', async (_, read) => {
    expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
  });

  const ingressOf = (rules: object[]) => specFromIngress({ metadata: { name: 'a' }, spec: { rules } }, SETTINGS);
  const pathOf = (index: number) => ({ path: `/${index}`, pathType: 'Exact', backend });
  const createMany = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  const rawObject = (spec: object) => ({ metadata: { name: 'a', namespace: 'b', uid: 'u' }, spec }) as never;

  test.each<[string, (count: number) => unknown]>([
    ['paths of a host', (count) => ingressOf([{ host: 'a.example', http: { paths: createMany(4 * count, pathOf) } }])],
    [
      'hosts',
      (count) => ingressOf(createMany(count, (index) => ({ host: `h${index}`, http: { paths: [pathOf(index)] } }))),
    ],
    [
      'TLS hosts',
      (count) =>
        specFromIngress(
          { metadata: { name: 'a' }, spec: { tls: [{ hosts: createMany(count, (i) => `h${i}`) }] } },
          SETTINGS,
        ),
    ],
    [
      'ports',
      (count) =>
        specFromService(aService({ ports: createMany(count, (i) => ({ ...HTTP, name: `p${i}`, port: i })) }), SETTINGS),
    ],
    [
      'ranges',
      (count) =>
        specFromService(
          aService({ loadBalancerSourceRanges: createMany(count, (i) => `10.0.${i % 256}.0/24`) }),
          SETTINGS,
        ),
    ],
    [
      'annotations',
      (count) =>
        readAnnotations(Object.fromEntries(createMany(count, (i) => [`loadbalancer.openstack.org/a${i}`, 'b'])))(''),
    ],
    [
      'listeners',
      (count) =>
        parseGateway(
          rawObject({
            gatewayClassName: 'a',
            listeners: createMany(count, (i) => ({ name: `l${i}`, port: i, protocol: 'HTTP' })),
          }),
        ),
    ],
    [
      'rules of a route',
      (count) =>
        parseHttpRoute(
          rawObject({ rules: createMany(count, () => ({ matches: [{ path: { type: 'Exact', value: '/a' } }] })) }),
        ),
    ],
  ])('many %s', async (_, read) => {
    expect(await excessiveItemGrowth(read)).toBeUndefined();
  });
});
