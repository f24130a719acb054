import type { Row } from './row.ts';

export const CLUSTER_ACCESS_ROWS: readonly Row[] = [
  {
    name: 'every optional admission plugin disabled',
    spec: { apiServer: { admissionPlugins: { disabled: ['AlwaysPullImages'] } } },
  },
  {
    name: 'NodeRestriction disabled',
    spec: { apiServer: { admissionPlugins: { disabled: ['NodeRestriction'] } } },
    refused: [
      'spec.apiServer.admissionPlugins.disabled[0]: Unsupported value: "NodeRestriction": supported values: "AlwaysPullImages"',
    ],
  },
  {
    name: 'an admission plugin that is not offered',
    spec: { apiServer: { admissionPlugins: { enabled: ['PodSecurity'] } } },
    refused: [
      'spec.apiServer.admissionPlugins.enabled[0]: Unsupported value: "PodSecurity": supported values: "AlwaysPullImages", "NodeRestriction"',
    ],
  },
  {
    name: 'an issuer of tokens',
    spec: { apiServer: { oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes' } } },
    has: { 'spec.apiServer.oidc.usernameClaim': 'sub', 'spec.apiServer.oidc.signingAlgorithms': ['RS256'] },
  },
  {
    name: 'an issuer over http',
    spec: { apiServer: { oidc: { issuerURL: 'http://login.example.org', clientID: 'kubernetes' } } },
    refused: [
      'spec.apiServer.oidc.issuerURL: Invalid value: "http://login.example.org": must be an https URL without query, fragment or user',
    ],
  },
  {
    name: 'an issuer with a query',
    spec: { apiServer: { oidc: { issuerURL: 'https://login.example.org/?realm=a', clientID: 'kubernetes' } } },
    refused: [
      'spec.apiServer.oidc.issuerURL: Invalid value: "https://login.example.org/?realm=a": must be an https URL without query, fragment or user',
    ],
  },
  {
    name: 'an issuer on this machine',
    spec: { apiServer: { oidc: { issuerURL: 'https://127.0.0.1:8443', clientID: 'kubernetes' } } },
    refused: [
      'spec.apiServer.oidc.issuerURL: Invalid value: "https://127.0.0.1:8443": is an address of the machine that runs the API server: use a public address',
    ],
  },
  {
    name: 'an issuer within the cluster',
    spec: { apiServer: { oidc: { issuerURL: 'https://dex.auth.svc', clientID: 'kubernetes' } } },
    refused: [
      'spec.apiServer.oidc.issuerURL: Invalid value: "https://dex.auth.svc": is a name within the cluster, but the API server runs outside of it: use a public name',
    ],
  },
  {
    name: 'the issuer of ServiceAccounts',
    spec: {
      apiServer: { oidc: { issuerURL: 'https://kubernetes.default.svc.cluster.local', clientID: 'kubernetes' } },
    },
    refused: [
      'spec.apiServer.oidc.issuerURL: Invalid value: "https://kubernetes.default.svc.cluster.local": is the cluster\'s own issuer of ServiceAccount tokens: choose another one',
    ],
  },
  {
    name: 'an issuer without a client',
    spec: { apiServer: { oidc: { issuerURL: 'https://login.example.org' } } },
    refused: ['spec.apiServer.oidc.clientID: Required value'],
  },
  {
    name: 'an empty client',
    spec: { apiServer: { oidc: { issuerURL: 'https://login.example.org', clientID: '' } } },
    refused: [
      'spec.apiServer.oidc.clientID: Invalid value: "": spec.apiServer.oidc.clientID in body should be at least 1 chars long',
    ],
  },
  {
    name: 'a client with a line break',
    spec: { apiServer: { oidc: { issuerURL: 'https://login.example.org', clientID: 'a\nb' } } },
    refused: [
      'spec.apiServer.oidc.clientID: Invalid value: "\\"a\\\\nb\\"": must be plain text without line breaks and other control characters',
    ],
  },
  {
    name: 'claims and prefixes',
    spec: {
      apiServer: {
        oidc: {
          issuerURL: 'https://login.example.org',
          clientID: 'kubernetes',
          usernameClaim: 'email',
          usernamePrefix: '-',
          groupsClaims: ['groups'],
          groupsPrefix: 'oidc:',
          requiredClaims: { hd: 'example.org' },
        },
      },
    },
  },
  {
    name: 'an empty claim',
    spec: {
      apiServer: { oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes', usernameClaim: '' } },
    },
    refused: [
      'spec.apiServer.oidc.usernameClaim: Invalid value: "": spec.apiServer.oidc.usernameClaim in body should be at least 1 chars long',
    ],
  },
  {
    name: 'a prefix with a control character',
    spec: {
      apiServer: { oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes', usernamePrefix: '\u0007' } },
    },
    refused: [
      'spec.apiServer.oidc.usernamePrefix: Invalid value: "\\"\\\\u0007\\"": must be plain text without line breaks and other control characters',
    ],
  },
  {
    name: 'a groups prefix with a control character',
    spec: {
      apiServer: { oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes', groupsPrefix: '\u0007' } },
    },
    refused: [
      'spec.apiServer.oidc.groupsPrefix: Invalid value: "\\"\\\\u0007\\"": must be plain text without line breaks and other control characters',
    ],
  },
  {
    name: 'eleven claims of groups',
    spec: {
      apiServer: {
        oidc: {
          issuerURL: 'https://login.example.org',
          clientID: 'kubernetes',
          groupsClaims: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'],
        },
      },
    },
    refused: ['spec.apiServer.oidc.groupsClaims: Too many: 11: must have at most 10 items'],
  },
  {
    name: 'a required claim without a name',
    spec: {
      apiServer: {
        oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes', requiredClaims: { '': 'a' } },
      },
    },
    refused: [
      'spec.apiServer.oidc.requiredClaims: Invalid value: "": the name of a claim must have 1 to 253 characters',
    ],
  },
  {
    name: 'a required claim that is a number',
    spec: {
      apiServer: {
        oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes', requiredClaims: { level: 3 } },
      },
    },
    refused: [
      'spec.apiServer.oidc.requiredClaims.level: Invalid value: "integer": spec.apiServer.oidc.requiredClaims.level in body must be of type string: "integer"',
    ],
  },
  {
    name: 'an algorithm that is none',
    spec: {
      apiServer: {
        oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes', signingAlgorithms: ['none'] },
      },
    },
    refused: [
      'spec.apiServer.oidc.signingAlgorithms[0]: Unsupported value: "none": supported values: "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"',
    ],
  },
  {
    name: 'another algorithm',
    spec: {
      apiServer: {
        oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes', signingAlgorithms: ['ES256'] },
      },
    },
    warnings: [
      "spec.apiServer.oidc.signingAlgorithms (ES256): ignored by this release: the issuer's keys determine which algorithms are accepted",
    ],
  },
  {
    name: 'a certificate that is none',
    spec: {
      apiServer: {
        oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes', certificateAuthority: 'let me in' },
      },
    },
    refused: [
      'spec.apiServer.oidc.certificateAuthority: Invalid value: "let me in…": contains no certificate: it must be PEM, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
    ],
  },
  {
    name: 'an issuer with an older Kubernetes version',
    spec: { apiServer: { oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes' } }, version: '1.36' },
  },
  {
    name: 'users of Keystone',
    spec: { apiServer: { keystone: {} } },
    has: { 'spec.apiServer.keystone': {} },
  },
  {
    name: 'Keystone users of two projects, with custom roles',
    spec: {
      apiServer: {
        keystone: {
          projects: ['4da237e4db7d4a397824cb6ea792548c', 'default'],
          roles: { auditor: 'view', 'load-balancer_member': 'edit' },
        },
      },
    },
  },
  {
    name: 'the name of a project',
    spec: { apiServer: { keystone: { projects: ['Team A'] } } },
    refused: [
      'spec.apiServer.keystone.projects[0]: Invalid value: "Team A": must be the ID of a project, not its name',
    ],
  },
  {
    name: 'no project at all',
    spec: { apiServer: { keystone: { projects: [] } } },
    refused: [
      'spec.apiServer.keystone.projects: Invalid value: 0: spec.apiServer.keystone.projects in body should have at least 1 items',
    ],
  },
  {
    name: 'a project twice',
    spec: { apiServer: { keystone: { projects: ['a', 'b', 'a'] } } },
    refused: ['spec.apiServer.keystone.projects[2]: Duplicate value: "a"'],
  },
  {
    name: "a ClusterRole that is not Kubernetes' own",
    spec: { apiServer: { keystone: { roles: { member: 'system:masters' } } } },
    refused: [
      'spec.apiServer.keystone.roles.member: Unsupported value: "system:masters": supported values: "cluster-admin", "admin", "edit", "view"',
    ],
  },
  {
    name: 'a role without a name',
    spec: { apiServer: { keystone: { roles: { '': 'view' } } } },
    refused: [
      'spec.apiServer.keystone.roles: Invalid value: "": the name of a role must have 1 to 255 characters, without line breaks or surrounding spaces',
    ],
  },
  {
    name: 'thirty-three roles',
    spec: {
      apiServer: {
        keystone: { roles: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`role-${index}`, 'view'])) },
      },
    },
    refused: ['spec.apiServer.keystone.roles: Invalid value: 33: must have at most 32 roles'],
  },
  {
    name: 'a policy for users of Keystone',
    spec: {
      apiServer: {
        keystone: {
          policy:
            '[{"users": {"projects": ["p1"], "roles": ["auditor"]}, "resource_permissions": {"*/pods": ["get"]}}]',
        },
      },
    },
  },
  {
    name: 'a policy without the version that k8s-keystone-auth requires',
    spec: {
      apiServer: {
        keystone: { policy: '[{"resource": {"verbs": ["get"], "resources": ["pods"], "namespace": "*"}}]' },
      },
    },
    refused: [
      'spec.apiServer.keystone.policy: Invalid value: "[{\\"resource\\": {\\"verbs\\": [\\"get\\"], \\"resour": ✖ Invalid input: expected string, received undefined\n  → at [0].resource.version',
    ],
  },
];
