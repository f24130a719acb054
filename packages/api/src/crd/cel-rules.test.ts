import { evaluate } from '@marcbachmann/cel-js';
import { type Arbitrary, array, assert, boolean, constantFrom, integer, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds/all.ts';
import type { CrossFieldRule, TransitionRule } from '../kinds/kind.ts';
import { nodePools } from '../kinds/node-pool.ts';
import { CLUSTER_NAME_RULE } from '../kinds/node-pool-rules.ts';
import { ORIGIN_RULES } from '../kinds/status.ts';
import { ruleErrors, transitionErrors } from '../validation/object-rules.ts';
import { immutabilityCel, transitionCel } from './cel-rules.ts';

const count = integer({ min: 0, max: 8 });
const id = constantFrom('id-1', 'id-2');
const maybe = <T>(value: Arbitrary<T>) => option(value, { nil: undefined });

const bounds = { minReplicas: maybe(count), maxReplicas: maybe(count) };
const enabled = record({ enabled: boolean() });
const podRoutes = maybe(constantFrom('Router', 'None'));
const periods = {
  minSyncPeriod: maybe(constantFrom('0s', '10s', '31s', '1m')),
  syncPeriod: maybe(constantFrom('5s', '30s', '1h')),
};

/** Values for a rule's path, including invalid combinations. */
const SUBJECTS: Readonly<Record<string, Arbitrary<object>>> = {
  'spec.network': record({
    networkID: maybe(id),
    subnetID: maybe(id),
    nodesCIDR: maybe(constantFrom('10.9.0.0/16')),
    loadBalancersSubnetID: maybe(id),
    dnsNameservers: maybe(constantFrom([], ['9.9.9.9'])),
    podRoutes,
    gateway: record({ mode: constantFrom('Router', 'Custom', 'None'), routerID: maybe(id) }),
  }),
  'spec.network.gateway': record({
    mode: constantFrom('Router', 'Custom', 'None'),
    externalNetworkID: maybe(id),
    routerID: maybe(id),
    address: maybe(constantFrom('10.0.0.1')),
  }),
  'spec.storage': record({ classes: maybe(array(record({ default: maybe(boolean()) }), { maxLength: 3 })) }),
  'spec.etcd.snapshots': record({ interval: constantFrom('0s', '59s', '1m', '1h30m') }),
  'spec.hibernation': record({
    schedules: maybe(
      array(record({ hibernate: maybe(constantFrom('@daily')), wake: maybe(constantFrom('@daily')) }), {
        maxLength: 2,
      }),
    ),
  }),
  'spec.maintenance': record({ confineSpecChanges: boolean(), window: maybe(constantFrom({})) }),
  'spec.maintenance.window': record({ duration: constantFrom('29m59s', '30m', '1h30m', '23h', '23h1s', '99999h') }),
  'spec.rollout': record({ timeout: constantFrom('0s', '59s', '1m', '1h30m') }),
  'spec.forcedUpgrade': record({
    gracePeriod: constantFrom('0s', '336h', '8760h', '8760h1s'),
    notice: constantFrom('0s', '23h59m', '24h', '2160h', '2161h'),
  }),
  'spec.kubeProxy': record({
    mode: maybe(constantFrom('iptables', 'ipvs', 'none')),
    iptables: maybe(record(periods)),
    ipvs: maybe(record({ ...periods, tcpTimeout: maybe(constantFrom('0s', '4s', '5s', '1m')) })),
  }),
  'spec.cni.cilium': record({
    clusterID: maybe(integer({ min: 1, max: 2 })),
    clusterMesh: maybe(
      record({
        enabled: boolean(),
        apiServer: maybe(
          record({ serviceType: constantFrom('LoadBalancer', 'NodePort'), nodePort: maybe(constantFrom(31_000)) }),
        ),
      }),
    ),
    hubble: maybe(record({ enabled: boolean(), relay: maybe(enabled), ui: maybe(enabled) })),
  }),
  // Fields that both NodePools and Clusters have.
  spec: record({
    network: record({ podRoutes }),
    cni: record({ type: maybe(constantFrom('canal', 'none')) }),
    replicas: count,
    minReplicas: count,
    maxReplicas: maybe(count),
    antiAffinity: boolean(),
    antiAffinityPolicy: maybe(constantFrom('Hard', 'Soft')),
    autoscaling: record({ schedules: maybe(array(record(bounds), { maxLength: 2 })) }),
  }),
  'spec.proxy': record({ httpProxy: maybe(constantFrom('http://p')), httpsProxy: maybe(constantFrom('http://p')) }),
  'spec.autoscaling': record({
    enabled: boolean(),
    schedules: maybe(
      array(record({ ...bounds, start: constantFrom('@daily'), end: constantFrom('@daily', '0 7 * * *') }), {
        maxLength: 2,
      }),
    ),
  }),
  'spec.upgradeStrategy': record({
    maxSurge: constantFrom<number | string>(0, 1, '0%', '25%'),
    maxUnavailable: constantFrom<number | string>(0, 1, '0%', '100%'),
  }),
};

const rules = KINDS.flatMap((kind) =>
  kind.rules.map((rule): [string, CrossFieldRule] => [`${rule.field} ${rule.message}`, rule]),
);

describe('cross-field rules agree in CEL and TypeScript', () => {
  it.each(rules)('%s', (_, rule) => {
    const seen = new Set<boolean>();
    const subject = SUBJECTS[rule.path];
    expect(subject, `an arbitrary for ${rule.path}`).toBeDefined();
    assert(
      property(subject ?? record({}), (value) => {
        const holds = rule.holds(value as never);
        seen.add(holds);
        expect(evaluate(rule.cel, { self: celValue(value) })).toBe(holds);
      }),
      { numRuns: 300 },
    );
    expect(seen, 'both answers were met').toEqual(new Set([true, false]));
  });
});

describe('the CEL rules for immutable fields', () => {
  const held = record({ field: maybe(constantFrom('a', 'b')) });

  it.each([
    ['string', 'a', 'b'],
    ['string', undefined, 'b'],
    ['boolean', false, true],
    ['array', ['a', 'b'], ['c']],
    ['array', [], ['c']],
  ] as const)('includes the previous value of a %s: %j', (type, before, after) => {
    const kind = { ...KINDS[0], immutable: ['spec.field'], rules: [] } as unknown as (typeof KINDS)[number];
    const object = (field: unknown) => ({ metadata: {}, spec: { field } }) as never;
    const { messageExpression = '' } = immutabilityCel('spec.field', { type, items: { type: 'string' } });
    const [error] = ruleErrors(kind, object(after), object(before)).filter(
      (each) => each.type === 'FieldValueForbidden',
    );
    const message = evaluate(messageExpression, {
      self: celValue({ field: after }),
      oldSelf: celValue({ field: before }),
    });

    expect(message).toBe(error?.detail);
  });

  it('omits the previous value of a list of objects, which CEL cannot format', () => {
    const rule = immutabilityCel('spec.field', { type: 'array', items: { type: 'object' } });
    expect(rule.messageExpression).toBeUndefined();
  });

  it('agrees with the TypeScript function', () => {
    const kind = { ...KINDS[0], immutable: ['spec.field'], rules: [] } as unknown as (typeof KINDS)[number];
    const { rule } = immutabilityCel('spec.field', { type: 'string' });
    assert(
      property(held, held, (old, changed) => {
        const errors = ruleErrors(kind, { metadata: {}, spec: changed } as never, { metadata: {}, spec: old } as never);
        const isKept = errors.every(({ type }) => type !== 'FieldValueForbidden');
        expect(evaluate(rule, { self: celValue(changed), oldSelf: celValue(old) })).toBe(isKept);
      }),
    );
  });
});

describe('transition rules agree in CEL and TypeScript', () => {
  const object = record({
    status: maybe(record({ originUID: maybe(constantFrom('a', 'b')), observedGeneration: maybe(constantFrom(1)) })),
  });

  it.each(ORIGIN_RULES.map((rule): [string, TransitionRule] => [rule.message, rule]))('%s', (_, rule) => {
    const seen = new Set<boolean>();
    assert(
      property(object, object, (changed, old) => {
        const holds = rule.holds(changed as never, old as never);
        seen.add(holds);
        expect(evaluate(rule.cel, { self: celValue(changed), oldSelf: celValue(old) })).toBe(holds);
      }),
      { numRuns: 300 },
    );
    expect(seen, 'both answers were met').toEqual(new Set([true, false]));
  });
});

describe("the transition rule for a pool's cluster name", () => {
  const condition = record({
    type: constantFrom('Ready', 'UpToDate'),
    reason: constantFrom('ClusterNotFound', 'Ready'),
  });
  const pool = record({
    spec: record({ clusterName: constantFrom('a', 'b') }),
    status: maybe(
      record({
        conditions: maybe(array(condition, { maxLength: 2 })),
        replicas: maybe(constantFrom(0, 1)),
        serverGroupID: maybe(constantFrom('g')),
        imageID: maybe(constantFrom('i')),
      }),
    ),
  });

  it('agrees in CEL and TypeScript, including its hint', () => {
    const { cel, holds } = CLUSTER_NAME_RULE;
    const { messageExpression = '' } = transitionCel(CLUSTER_NAME_RULE);
    const seen = new Set<string>();
    assert(
      property(pool, pool, (changed, old) => {
        const context = { self: celValue(changed), oldSelf: celValue(old) };
        const isHeld = holds(changed as never, old as never);
        seen.add(`${changed.spec.clusterName === old.spec.clusterName ? 'kept' : 'changed'} ${isHeld}`);
        expect(evaluate(cel, context as never)).toBe(isHeld);
        const message = transitionErrors(nodePools, changed as never, old as never).map(({ detail }) => detail);
        expect(message).toEqual(isHeld ? [] : [evaluate(messageExpression, context as never)]);
      }),
      { numRuns: 1000 },
    );
    expect([...seen].toSorted()).toEqual(['changed false', 'changed true', 'kept true']);
  });
});

/** The value as an API server passes it to CEL: no absent fields, integers as `int`. */
function celValue(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(present.map(([name, field]) => [name, celValue(field)]));
}
