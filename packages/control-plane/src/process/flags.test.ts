import { oidcVersionProblem } from '@fairway/api/domain/oidc-problems';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { describe, expect, test } from 'vitest';
import { COMPONENTS, type Component } from './components.ts';
import { authenticationConfiguration, authorizationConfiguration, egressConfiguration } from './configuration.ts';
import { componentFlags, type FlagInputs } from './flags.ts';

const API_SERVER: ClusterSpec['apiServer'] = {
  admissionPlugins: { enabled: ['AlwaysPullImages', 'NodeRestriction'], disabled: [] },
};
const OIDC = {
  issuerURL: 'https://login.example.org',
  clientID: 'kubernetes',
  usernameClaim: 'email',
  signingAlgorithms: ['RS256' as const, 'ES256' as const],
};

function inputs(change: Partial<FlagInputs> = {}): FlagInputs {
  return {
    cluster: { uid: 'u-1', name: 'demo', namespace: 'default' },
    podCIDR: '10.2.0.0/16',
    serviceCIDR: '10.3.0.0/16',
    apiServer: API_SERVER,
    etcdQuotaBytes: 419_430_400,
    endpoint: { host: '127.0.0.1', port: 20_001 },
    dataFolder: 'etcd',
    hasOwnUser: false,
    ...change,
  };
}

describe('command lines for a spec', () => {
  test.each<{ component: Component; spec?: Partial<FlagInputs>; flags: readonly string[]; reason: string }>([
    { component: 'etcd', flags: ['--quota-backend-bytes=419430400'], reason: 'the plan limits the database' },
    {
      component: 'kube-apiserver',
      flags: ['--bind-address=127.0.0.1', '--secure-port=20001'],
      reason: 'its endpoint stays',
    },
    {
      component: 'kube-apiserver',
      flags: ['--endpoint-reconciler-type=none'],
      reason: 'an address of loopback is no endpoint of the Service kubernetes',
    },
    { component: 'kube-apiserver', flags: ['--service-cluster-ip-range=10.3.0.0/16'], reason: 'Services have a range' },
    {
      component: 'kube-apiserver',
      spec: { reviewToken: () => Promise.resolve(undefined) },
      flags: [
        '--authentication-token-webhook-config-file=config/token-webhook.yaml',
        '--authentication-token-webhook-version=v1',
        '--authentication-token-webhook-cache-ttl=10s',
      ],
      reason: 'Fairway knows whose tokens are that are none of its own',
    },
    {
      component: 'kube-apiserver',
      flags: ['--audit-log-path=logs/audit.log', '--audit-log-maxsize=50', '--audit-log-maxbackup=2'],
      reason: 'the operator has the log of a cluster that does not ask for it',
    },
    {
      component: 'kube-apiserver',
      spec: { apiServer: { ...API_SERVER, audit: { level: 'Metadata', reads: false } } },
      flags: [
        '--audit-log-path=logs/tenant-audit.log',
        '--audit-log-maxsize=10',
        '--audit-log-maxbackup=3',
        '--audit-log-truncate-enabled=true',
      ],
      reason: 'its tenants do not read what was written before they asked',
    },
    { component: 'kube-apiserver', flags: ['--authorization-mode=Node,RBAC'], reason: 'nobody else gives rights' },
    {
      component: 'kube-apiserver',
      spec: { reviewAccess: { authorize: () => ({ allowed: false, reason: '' }) } },
      flags: ['--authorization-config=config/authorization.yaml'],
      reason: 'a policy gives further rights, and no flag says of whom',
    },
    {
      component: 'kube-apiserver',
      flags: ['--enable-admission-plugins=AlwaysPullImages,NodeRestriction'],
      reason: 'both plugins are on from the start',
    },
    {
      component: 'kube-apiserver',
      spec: {
        apiServer: {
          admissionPlugins: { enabled: ['AlwaysPullImages', 'NodeRestriction'], disabled: ['AlwaysPullImages'] },
        },
      },
      flags: ['--enable-admission-plugins=NodeRestriction', '--disable-admission-plugins=AlwaysPullImages'],
      reason: 'disabled wins',
    },
    {
      component: 'kube-apiserver',
      spec: { apiServer: { admissionPlugins: { enabled: [], disabled: [] } } },
      flags: ['--enable-admission-plugins=NodeRestriction'],
      reason: 'nodes are kept apart, whatever the tenant enables',
    },
    {
      component: 'kube-apiserver',
      spec: {
        apiServer: {
          ...API_SERVER,
          oidc: {
            ...OIDC,
            groupsClaims: ['groups'],
            requiredClaims: { hd: 'example.org' },
            certificateAuthority: 'PEM',
          },
        },
      },
      flags: ['--authentication-config=config/authentication.yaml'],
      reason: 'tokens of an issuer are believed',
    },
    {
      component: 'kube-apiserver',
      flags: ['--egress-selector-config-file=config/egress.yaml'],
      reason: 'it connects to nothing but by way of Fairway',
    },
    {
      component: 'kube-apiserver',
      flags: ['--enable-aggregator-routing=true'],
      reason: 'aggregated APIs are served by nodes, and no address of a Service leads there from here',
    },
    {
      component: 'kube-controller-manager',
      flags: [
        '--controllers=*,bootstrapsigner,tokencleaner',
        '--cluster-cidr=10.2.0.0/16',
        '--allocate-node-cidrs=true',
        '--service-cluster-ip-range=10.3.0.0/16',
        '--use-service-account-credentials=true',
      ],
      reason: 'nodes join by token, and get pod addresses',
    },
  ])('$component: $reason', ({ component, spec, flags }) => {
    expect(componentFlags(component, inputs(spec))).toEqual(expect.arrayContaining([...flags]));
  });

  test.each(COMPONENTS)('%s: each flag once, and nothing that listens beyond this machine', (component) => {
    const flags = componentFlags(component, inputs({ apiServer: { ...API_SERVER, oidc: OIDC } }));

    const names = flags.map((flag) => flag.split('=')[0]);
    expect(new Set(names).size).toBe(names.length);
    expect(flags.join(' ')).not.toMatch(/0\.0\.0\.0|http:\/\//);
  });

  test.each([
    { groupsClaims: undefined, groups: undefined },
    { groupsClaims: ['groups'], groups: { claim: 'groups', prefix: '' } },
  ])('claims that hold groups: $groupsClaims', ({ groupsClaims, groups }) => {
    const [jwt] = (authenticationConfiguration({ ...OIDC, groupsClaims }) as { jwt: { claimMappings: object }[] }).jwt;

    expect(jwt?.claimMappings).toEqual({ username: { claim: 'email', prefix: '' }, ...(groups && { groups }) });
  });

  test('issuers and everything else except for etcd are reached through the proxy', () => {
    expect(authenticationConfiguration(OIDC)).toMatchObject({
      jwt: [{ issuer: { egressSelectorType: 'controlplane' } }],
    });
    expect(egressConfiguration()).toMatchObject({
      egressSelections: [
        { name: 'cluster', connection: { transport: { uds: { udsName: 'egress/cluster.sock' } } } },
        { name: 'controlplane', connection: { transport: { uds: { udsName: 'egress/controlplane.sock' } } } },
      ],
    });
  });

  test('groups from several claims are merged, each with the prefix', () => {
    const oidc = { ...OIDC, groupsClaims: ['groups', 'roles'], groupsPrefix: 'oidc:', requiredClaims: { hd: 'x' } };

    expect(authenticationConfiguration(oidc)).toMatchObject({
      jwt: [
        {
          issuer: { url: 'https://login.example.org', audiences: ['kubernetes'] },
          claimMappings: {
            username: { claim: 'email', prefix: '' },
            groups: { expression: expect.stringMatching(/"groups" in claims .*"oidc:" \+ .* \+ \("roles" in claims/) },
          },
          claimValidationRules: [{ claim: 'hd', requiredValue: 'x' }],
        },
      ],
    });
  });
});

test('no Cluster can disable NodeRestriction, not even one stored by an older release', () => {
  const disabled = ['NodeRestriction', 'AlwaysPullImages'] as unknown as 'AlwaysPullImages'[];
  const flags = componentFlags(
    'kube-apiserver',
    inputs({ apiServer: { ...API_SERVER, admissionPlugins: { enabled: [], disabled } } }),
  );

  expect(flags).toContain('--enable-admission-plugins=NodeRestriction');
  expect(flags).toContain('--disable-admission-plugins=AlwaysPullImages');
});

/**
 * Versions that kube-apiserver of each minor reads without a feature gate that is off by default: register.go of its
 * `pkg/apis/apiserver`.
 */
const READ = [
  { version: '1.31.14', authorization: ['v1beta1'], authentication: ['v1beta1'], confinesIssuers: false },
  { version: '1.32.10', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1'], confinesIssuers: false },
  { version: '1.33.5', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1'], confinesIssuers: false },
  { version: '1.34.2', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1', 'v1'], confinesIssuers: true },
  { version: '1.35.2', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1', 'v1'], confinesIssuers: true },
  { version: '1.36.3', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1', 'v1'], confinesIssuers: true },
];

test.each(READ)('kube-apiserver $version can read what is written for it', (read) => {
  const { version, authorization, authentication, confinesIssuers } = read;
  const formOf = (configuration: object) => (configuration as { apiVersion: string }).apiVersion;
  const forms = (names: readonly string[]) => names.map((name) => `apiserver.config.k8s.io/${name}`);

  // The newest, which outlives the others.
  expect(formOf(authorizationConfiguration(version))).toBe(forms(authorization).at(-1));
  expect(authorizationConfiguration(version)).toMatchObject({
    // Access reviews come last, with no opinion if there is no answer.
    authorizers: [{ type: 'Node' }, { type: 'RBAC' }, { type: 'Webhook', webhook: { failurePolicy: 'NoOpinion' } }],
  });
  expect(forms(authentication)).toContain(formOf(authenticationConfiguration(OIDC)));
  // If issuers cannot be confined, OIDC is not applied.
  expect(oidcVersionProblem(version) === undefined).toBe(confinesIssuers);
});
