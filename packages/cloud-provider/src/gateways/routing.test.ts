import { excessiveItemGrowth } from '@fairway/base/testing/growth';
import { describe, expect, test } from 'vitest';
import { type Routing, routingOf } from './routing.ts';
import { aContext, aRoute, backend, GRANT } from './testing/routes.ts';

const http = { name: 'http', port: 80, protocol: 'HTTP' };
const path = (value: string, type = 'PathPrefix') => ({ path: { type, value } });
const rule = (match: object, name = 'web') => ({ matches: [match], ...backend(name) });
const redirect = (requestRedirect: object, ...matches: object[]) => ({
  matches,
  filters: [{ type: 'RequestRedirect', requestRedirect }],
});
const HTTPS_REDIRECT = { scheme: 'https', statusCode: 301 };

/** The policies as `name -> target`, with a `!` for each inverted rule. */
function policies({ ports }: Routing, port = 80): readonly string[] {
  return (ports.get(port)?.policies ?? []).map(({ name, rules, target }) => {
    const inverted = rules.filter(({ invert }) => invert).map(({ value }) => ` !${value}`);
    const conditionText =
      typeof target === 'string' ? target : 'redirect_url' in target ? target.redirect_url : target.redirect_prefix;
    return `${name}${inverted.join('')} -> ${conditionText}`;
  });
}

const WEB = 'pool_default_web_80';
const API = 'pool_default_api_80';

describe('precedence', () => {
  test.each<{ is: string; routes: Parameters<typeof aRoute>[]; expected: string[] }>([
    {
      is: 'exact paths, then longer prefixes',
      routes: [[{ rules: [rule(path('/')), rule(path('/a')), rule(path('/a/b')), rule(path('/a', 'Exact'))] }]],
      expected: ['*/a', '*/a/b', '*/a', '*/'],
    },
    {
      is: 'a name before a wildcard, regardless of the paths',
      routes: [
        [{ hostnames: ['*.example'], rules: [rule(path('/a/b'))] }],
        [{ hostnames: ['a.example'], rules: [rule(path('/'))] }],
      ],
      expected: ['a.example/', '*.example/a/b'],
    },
    {
      is: 'more headers first',
      routes: [[{ rules: [rule(path('/a')), rule({ ...path('/a'), headers: [{ name: 'V', value: '2' }] }, 'api')] }]],
      expected: ['*/a v=2', '*/a'],
    },
    {
      is: 'the older route, then the name; the second never gets requests',
      routes: [
        [{ rules: [rule(path('/a'), 'api')] }, { name: 'new', creationTimestamp: '2026-02-01T00:00:00Z' }],
        [{ rules: [rule(path('/a'))] }, { name: 'old' }],
      ],
      expected: ['*/a'],
    },
  ])('$is', ({ routes, expected }) => {
    const routing = routingOf(
      routes.map((each) => aRoute(...each)),
      aContext([http]),
    );

    expect(policies(routing).map((text) => text.split(' -> ')[0])).toEqual(expected);
    expect(policies(routing)[0]).toContain(routes.length > 1 ? WEB : '');
  });

  test('does not pass a request to another listener if the most specific one has no route for it', () => {
    const listeners = [
      { ...http, name: 'any' },
      { ...http, name: 'shop', hostname: 'shop.example' },
    ];
    const routes = [
      aRoute({ parentRefs: [{ name: 'shop', sectionName: 'any' }], rules: [rule(path('/'))] }),
      aRoute({ parentRefs: [{ name: 'shop', sectionName: 'shop' }], rules: [rule(path('/api'), 'api')] }),
    ];

    expect(policies(routingOf(routes, aContext(listeners)))).toEqual([
      `shop.example/api -> ${API}`,
      'shop.example/ -> pool_nowhere',
      `*/ -> ${WEB}`,
    ]);
  });
});

describe('redirects, which Octavia evaluates before pool policies', () => {
  test('exclude what earlier rules match', () => {
    const rules = [rule(path('/api'), 'api'), redirect(HTTPS_REDIRECT, path('/'))];
    const routing = routingOf([aRoute({ hostnames: ['a.example'], rules })], aContext([http]));

    expect(policies(routing)).toEqual([`a.example/api -> ${API}`, 'a.example/ !^/api(/|$) -> https://a.example']);
  });

  test('need one policy for each distinguishing condition of an earlier rule', () => {
    const rules = [
      rule({ ...path('/api'), headers: [{ name: 'v', value: '2' }] }, 'api'),
      redirect(HTTPS_REDIRECT, path('/')),
    ];
    const routing = routingOf([aRoute({ hostnames: ['a.example'], rules })], aContext([http]));

    expect(policies(routing).slice(1)).toEqual([
      'a.example/ !^/api(/|$) -> https://a.example',
      'a.example/ !2 -> https://a.example',
    ]);
  });

  test('are refused if they need too many policies', () => {
    const header = (name: string) => ({ name, value: '1' });
    const before = ['a', 'b', 'c'].map((name) => rule({ ...path(`/${name}`), headers: [header(name)] }));
    const routing = routingOf(
      [aRoute({ hostnames: ['a.example'], rules: [...before, redirect(HTTPS_REDIRECT, path('/'))] })],
      aContext([http]),
    );

    expect(policies(routing)).toHaveLength(3);
    expect(routing.routes[0]?.dropped).toEqual([expect.stringContaining('rules[3]: Octavia applies redirects first')]);
  });

  test('are omitted if earlier rules match all their requests', () => {
    const old = aRoute({ hostnames: ['a.example'], rules: [rule(path('/'))] }, { name: 'a' });
    const youngerRoute = aRoute(
      { hostnames: ['a.example'], rules: [redirect(HTTPS_REDIRECT, path('/'))] },
      { name: 'b' },
    );

    expect(policies(routingOf([youngerRoute, old], aContext([http])))).toEqual([`a.example/ -> ${WEB}`]);
  });
});

describe('targets of redirects', () => {
  const replace = (type: string, field: string, value: string) => ({ path: { type, [field]: value } });

  test.each<{ filter: object; match?: object; expected: string }>([
    { filter: {}, expected: 'http://a.example:8080' },
    { filter: HTTPS_REDIRECT, expected: 'https://a.example' },
    { filter: { scheme: 'https', port: 8443 }, expected: 'https://a.example:8443' },
    { filter: { port: 80 }, expected: 'http://a.example' },
    { filter: { hostname: 'b.example', scheme: 'http' }, expected: 'http://b.example' },
    {
      filter: { ...HTTPS_REDIRECT, ...replace('ReplaceFullPath', 'replaceFullPath', '/x') },
      expected: 'https://a.example/x',
    },
    {
      filter: { ...HTTPS_REDIRECT, ...replace('ReplacePrefixMatch', 'replacePrefixMatch', '/v1') },
      expected: 'https://a.example/v1',
    },
    {
      filter: { ...HTTPS_REDIRECT, ...replace('ReplacePrefixMatch', 'replacePrefixMatch', '/v1/api') },
      match: path('/api'),
      expected: 'https://a.example/v1',
    },
  ])('$filter: $expected', ({ filter, match = path('/'), expected }) => {
    const context = aContext([{ ...http, port: 8080 }]);
    const routing = routingOf([aRoute({ hostnames: ['a.example'], rules: [redirect(filter, match)] })], context);

    expect(policies(routing, 8080).map((text) => text.split(' -> ')[1])).toEqual([expected]);
  });

  test.each<{ port: number; filter: object; expected: string }>([
    {
      port: 443,
      filter: { path: { type: 'ReplaceFullPath', replaceFullPath: '/x' } },
      expected: 'https://a.example/x',
    },
    { port: 8443, filter: { hostname: 'b.example' }, expected: 'https://b.example:8443' },
    { port: 8443, filter: { port: 443 }, expected: 'https://a.example' },
    { port: 8443, filter: { scheme: 'http' }, expected: 'http://a.example' },
    { port: 443, filter: { scheme: 'https' }, expected: 'https://a.example' },
    { port: 443, filter: { port: 80 }, expected: 'https://a.example:80' },
  ])('redirects from HTTPS on $port with $filter: $expected', ({ port, filter, expected }) => {
    const listener = { name: 'https', port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'a' }] } };
    const rules = [redirect(filter, path('/'))];
    const routing = routingOf([aRoute({ hostnames: ['a.example'], rules })], aContext([listener]));

    expect(policies(routing, port).map((text) => text.split(' -> ')[1])).toEqual([expected]);
  });
});

describe('rules that Octavia does not support', () => {
  test.each<{ is: string; rule: object; words: string; hostnames?: string[] }>([
    { is: 'a method', rule: rule({ method: 'GET' }), words: 'cannot match methods' },
    {
      is: 'query parameters',
      rule: rule({ queryParams: [{ name: 'a', value: 'b' }] }),
      words: 'cannot match queryParams',
    },
    { is: 'a path with a quote', rule: rule(path('/a"b')), words: 'a path must begin with /' },
    { is: 'a path with a line break', rule: rule(path('/a\nb')), words: 'a path must begin with /' },
    { is: 'a path that is too long', rule: rule(path(`/${'a'.repeat(300)}`)), words: 'at most 200' },
    { is: 'a repeated group', rule: rule(path('/(a+)+', 'RegularExpression')), words: 'repeated and special groups' },
    { is: 'a lookaround', rule: rule(path('/(?=a)', 'RegularExpression')), words: 'repeated and special groups' },
    { is: 'too many repetitions', rule: rule(path('/a*b*c*d*e*', 'RegularExpression')), words: 'at most 4' },
    { is: 'an incomplete expression', rule: rule(path('/(a', 'RegularExpression')), words: 'not a regular expression' },
    { is: 'a header with a comma', rule: rule({ headers: [{ name: 'a', value: 'b,c' }] }), words: 'header "a"' },
    { is: 'an unknown path type', rule: rule(path('/', 'Suffix')), words: 'type "Suffix" is not supported' },
    {
      is: 'an unsupported filter',
      rule: { filters: [{ type: 'URLRewrite' }], ...backend('web') },
      words: 'filter URLRewrite',
    },
    { is: 'a filter of a backend', rule: backend('web', { filters: [{ type: 'URLRewrite' }] }), words: 'backendRefs' },
    { is: 'timeouts', rule: { timeouts: { request: '1s' }, ...backend('web') }, words: 'timeouts is not supported' },
    { is: 'a redirect for all hosts', rule: redirect(HTTPS_REDIRECT), words: 'without a hostname', hostnames: [] },
    {
      is: 'a redirect to a path with a percent sign',
      rule: redirect({ path: { type: 'ReplaceFullPath', replaceFullPath: '/%[src]' } }),
      words: 'a redirect path',
    },
    { is: 'a redirect with an invalid status code', rule: redirect({ statusCode: 200 }), words: 'statusCode 200' },
    {
      is: 'a redirect to another prefix',
      rule: redirect({ path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/b' } }, path('/a')),
      words: 'must end with /a',
    },
  ])('$is', ({ rule: invalidRule, words, hostnames = ['a.example'] }) => {
    const alone = routingOf([aRoute({ hostnames, rules: [invalidRule] })], aContext([http]));
    const withValidRule = routingOf(
      [aRoute({ hostnames, rules: [invalidRule, rule(path('/good'))] })],
      aContext([http]),
    );

    expect(alone.routes[0]).toMatchObject({
      refused: { reason: 'UnsupportedValue', message: expect.stringContaining(words) },
    });
    expect(policies(alone)).toEqual([]);
    expect(withValidRule.routes[0]).toMatchObject({ refused: undefined, dropped: [expect.stringContaining(words)] });
    expect(policies(withValidRule)).toHaveLength(1);
  });
});

describe('backends', () => {
  test.each<{ is: string; refs: object[]; grants?: object[]; reasons: string[]; target: string }>([
    { is: 'a Service', refs: [{ name: 'web', port: 80 }], reasons: [], target: WEB },
    { is: 'none', refs: [], reasons: [], target: 'pool_nowhere' },
    { is: 'a weight of zero', refs: [{ name: 'web', port: 80, weight: 0 }], reasons: [], target: 'pool_nowhere' },
    {
      is: 'the same backend twice',
      refs: [
        { name: 'web', port: 80 },
        { name: 'web', port: 80 },
      ],
      reasons: [],
      target: WEB,
    },
    {
      is: 'a Service that does not exist',
      refs: [{ name: 'x', port: 80 }],
      reasons: ['BackendNotFound'],
      target: 'pool_nowhere',
    },
    {
      is: 'a port that does not exist',
      refs: [{ name: 'web', port: 81 }],
      reasons: ['BackendNotFound'],
      target: 'pool_nowhere',
    },
    { is: 'no port', refs: [{ name: 'web' }], reasons: ['BackendNotFound'], target: 'pool_nowhere' },
    {
      is: 'a Service that is not reachable on nodes',
      refs: [{ name: 'inner', port: 80 }],
      reasons: ['BackendNotOnNodes'],
      target: 'pool_nowhere',
    },
    {
      is: 'an unsupported protocol',
      refs: [{ name: 'h2', port: 80 }],
      reasons: ['UnsupportedProtocol'],
      target: 'pool_nowhere',
    },
    {
      is: 'another kind',
      refs: [{ name: 'b', kind: 'Bucket', group: 'acme.io', port: 80 }],
      reasons: ['InvalidKind'],
      target: 'pool_nowhere',
    },
    {
      is: 'two backends, only one of which exists',
      refs: [
        { name: 'web', port: 80 },
        { name: 'x', port: 80 },
      ],
      reasons: ['BackendNotFound'],
      target: WEB,
    },
    {
      is: 'a Service in another namespace',
      refs: [{ name: 'far', namespace: 'other', port: 80 }],
      reasons: ['RefNotPermitted'],
      target: 'pool_nowhere',
    },
    {
      is: 'a Service in another namespace with a grant',
      refs: [{ name: 'far', namespace: 'other', port: 80 }],
      grants: [GRANT],
      reasons: [],
      target: 'pool_other_far_80',
    },
    {
      is: 'a Service in another namespace with a grant for another Service',
      refs: [{ name: 'far', namespace: 'other', port: 80 }],
      grants: [{ ...GRANT, to: [{ group: '', kind: 'Service', name: 'near' }] }],
      reasons: ['RefNotPermitted'],
      target: 'pool_nowhere',
    },
  ])('$is', ({ refs, grants = [], reasons, target }) => {
    const routing = routingOf([aRoute({ rules: [{ backendRefs: refs }] })], aContext([http], grants));

    expect(routing.routes[0]?.unresolved.map(({ reason }) => reason)).toEqual(reasons);
    expect(policies(routing)).toEqual([`*/ -> ${target}`]);
  });
});

describe('limits', () => {
  const manyRules = (count: number, name: string, at: string) =>
    aRoute(
      {
        hostnames: Array.from({ length: 16 }, (_, i) => `h${i}.example`),
        rules: Array.from({ length: count }, (_, i) => rule(path(`/${name}${i}`))),
      },
      { name, creationTimestamp: at },
    );

  test('refuses the entire route that exceeds the limit, but keeps older routes', () => {
    const routing = routingOf(
      [manyRules(4, 'young', '2026-03-01T00:00:00Z'), manyRules(10, 'old', '2026-01-01T00:00:00Z')],
      aContext([http]),
    );

    expect(policies(routing)).toHaveLength(160);
    expect(routing.routes.map(({ route, refused }) => [route.metadata.name, refused?.reason])).toEqual([
      ['old', undefined],
      ['young', 'UnsupportedValue'],
    ]);
  });

  test('validates routes of maximum size in linear time', async () => {
    const matches = Array.from({ length: 64 }, () => path('/'));
    const whole = {
      hostnames: Array.from({ length: 16 }, (_, i) => `h${i}`),
      rules: Array.from({ length: 64 }, () => ({ matches })),
    };
    const parsed = aRoute(whole);
    const decide = (count: number) => {
      const metadata = (i: number) => ({ ...parsed.metadata, name: `r${i}` });
      const routes = Array.from({ length: count }, (_, i) => ({ ...parsed, metadata: metadata(i) }));
      return routingOf(routes, aContext([http])).routes;
    };

    expect(decide(10).map(({ refused }) => refused?.reason)).toEqual(Array(10).fill('UnsupportedValue'));
    expect(await excessiveItemGrowth(decide)).toBeUndefined();
  });
});
