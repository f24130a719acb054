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
    usesPolicyFiles: false,
    ...change,
  };
}

describe('component flags', () => {
  test.each<{ component: Component; spec?: Partial<FlagInputs>; flags: readonly string[]; reason: string }>([
    {
      component: 'etcd',
      flags: ['--quota-backend-bytes=419430400'],
      reason: 'limit the database to the size in the plan',
    },
    {
      component: 'kube-apiserver',
      flags: ['--bind-address=127.0.0.1', '--secure-port=20001'],
      reason: 'keep the endpoint',
    },
    {
      component: 'kube-apiserver',
      flags: ['--endpoint-reconciler-type=none'],
      reason: 'omit a loopback address from the endpoints of the Service kubernetes',
    },
    {
      component: 'kube-apiserver',
      flags: ['--service-cluster-ip-range=10.3.0.0/16'],
      reason: 'set the range of Services',
    },
    {
      component: 'kube-apiserver',
      spec: { reviewToken: () => Promise.resolve(undefined) },
      flags: [
        '--authentication-token-webhook-config-file=config/token-webhook.yaml',
        '--authentication-token-webhook-version=v1',
        '--authentication-token-webhook-cache-ttl=10s',
      ],
      reason: 'set a token webhook if Fairway reviews tokens',
    },
    {
      component: 'kube-apiserver',
      spec: { usesPolicyFiles: true },
      flags: [
        '--feature-gates=ManifestBasedAdmissionControlConfig=true',
        '--admission-control-config-file=config/admission.yaml',
      ],
      reason: 'read limit policies from a file',
    },
    {
      component: 'kube-apiserver',
      flags: ['--audit-log-path=logs/audit.log', '--audit-log-maxsize=50', '--audit-log-maxbackup=2'],
      reason: 'set an audit log for the operator if the cluster does not request one',
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
      reason: 'set a separate audit log for tenants',
    },
    {
      component: 'kube-apiserver',
      flags: ['--authorization-mode=Node,RBAC'],
      reason: 'set Node and RBAC as authorizers',
    },
    {
      component: 'kube-apiserver',
      spec: { reviewAccess: { authorize: () => ({ allowed: false, reason: '' }) } },
      flags: ['--authorization-config=config/authorization.yaml'],
      reason: 'set an authorization configuration instead of authorization modes',
    },
    {
      component: 'kube-apiserver',
      flags: ['--enable-admission-plugins=AlwaysPullImages,NodeRestriction'],
      reason: 'enable both plugins by default',
    },
    {
      component: 'kube-apiserver',
      spec: {
        apiServer: {
          admissionPlugins: { enabled: ['AlwaysPullImages', 'NodeRestriction'], disabled: ['AlwaysPullImages'] },
        },
      },
      flags: ['--enable-admission-plugins=NodeRestriction', '--disable-admission-plugins=AlwaysPullImages'],
      reason: 'disable a plugin that is both enabled and disabled',
    },
    {
      component: 'kube-apiserver',
      spec: { apiServer: { admissionPlugins: { enabled: [], disabled: [] } } },
      flags: ['--enable-admission-plugins=NodeRestriction'],
      reason: 'keep NodeRestriction enabled, whatever the tenant sets',
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
      reason: 'set an authentication configuration for an OIDC issuer',
    },
    {
      component: 'kube-apiserver',
      flags: ['--egress-selector-config-file=config/egress.yaml'],
      reason: 'set an egress configuration',
    },
    {
      component: 'kube-apiserver',
      flags: ['--enable-aggregator-routing=true'],
      reason: 'route aggregated APIs to endpoints, since Service addresses are not routed here',
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
      reason: 'let nodes join with tokens and get pod CIDRs',
    },
  ])('$component: $reason', ({ component, spec, flags }) => {
    expect(componentFlags(component, inputs(spec))).toEqual(expect.arrayContaining([...flags]));
  });

  test.each(COMPONENTS)('set each flag of %s once, without listening beyond this machine', (component) => {
    const flags = componentFlags(component, inputs({ apiServer: { ...API_SERVER, oidc: OIDC } }));

    const names = flags.map((flag) => flag.split('=')[0]);
    expect(new Set(names).size).toBe(names.length);
    expect(flags.join(' ')).not.toMatch(/0\.0\.0\.0|http:\/\//);
  });

  test.each([
    { groupsClaims: undefined, groups: undefined },
    { groupsClaims: ['groups'], groups: { claim: 'groups', prefix: '' } },
  ])('map the groups claims $groupsClaims', ({ groupsClaims, groups }) => {
    const [jwt] = (authenticationConfiguration({ ...OIDC, groupsClaims }) as { jwt: { claimMappings: object }[] }).jwt;

    expect(jwt?.claimMappings).toEqual({ username: { claim: 'email', prefix: '' }, ...(groups && { groups }) });
  });

  test('reach issuers and everything else except etcd through the proxy', () => {
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

  test('merge groups from several claims, each with the prefix', () => {
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

test('never disable NodeRestriction, even for a Cluster stored by an older release', () => {
  const disabled = ['NodeRestriction', 'AlwaysPullImages'] as unknown as 'AlwaysPullImages'[];
  const flags = componentFlags(
    'kube-apiserver',
    inputs({ apiServer: { ...API_SERVER, admissionPlugins: { enabled: [], disabled } } }),
  );

  expect(flags).toContain('--enable-admission-plugins=NodeRestriction');
  expect(flags).toContain('--disable-admission-plugins=AlwaysPullImages');
});

/**
 * Configuration versions that each minor version of kube-apiserver reads without enabling a feature gate;
 * see register.go in its `pkg/apis/apiserver`.
 */
const READ = [
  { version: '1.31.14', authorization: ['v1beta1'], authentication: ['v1beta1'], confinesIssuers: false },
  { version: '1.32.10', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1'], confinesIssuers: false },
  { version: '1.33.5', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1'], confinesIssuers: false },
  { version: '1.34.2', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1', 'v1'], confinesIssuers: true },
  { version: '1.35.2', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1', 'v1'], confinesIssuers: true },
  { version: '1.36.3', authorization: ['v1beta1', 'v1'], authentication: ['v1beta1', 'v1'], confinesIssuers: true },
];

test.each(READ)('use configuration versions that kube-apiserver $version can read', (read) => {
  const { version, authorization, authentication, confinesIssuers } = read;
  const apiVersionOf = (configuration: object) => (configuration as { apiVersion: string }).apiVersion;
  const qualifiedVersions = (names: readonly string[]) => names.map((name) => `apiserver.config.k8s.io/${name}`);

  // Uses the newest version, which will be supported the longest.
  expect(apiVersionOf(authorizationConfiguration(version))).toBe(qualifiedVersions(authorization).at(-1));
  expect(authorizationConfiguration(version)).toMatchObject({
    // Access reviews come last, with no opinion if there is no response.
    authorizers: [{ type: 'Node' }, { type: 'RBAC' }, { type: 'Webhook', webhook: { failurePolicy: 'NoOpinion' } }],
  });
  expect(qualifiedVersions(authentication)).toContain(apiVersionOf(authenticationConfiguration(OIDC)));
  // If egress to issuers cannot be restricted, OIDC is not applied.
  expect(oidcVersionProblem(version) === undefined).toBe(confinesIssuers);
});
