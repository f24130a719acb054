interface Need {
  readonly test: RegExp;
  /** What a hollow node would have to do. */
  readonly reason: string;
}

/** Tests that hollow nodes can't pass, because these run no programs. A run fails when one of them passes after all. */
export const NEEDS_CONTAINERS: readonly Need[] = [
  {
    test: /AdmissionWebhook (?!.*(?:match conditions|discovery documents))/,
    reason: 'serve an admission webhook',
  },
  {
    test: /CustomResourceConversionWebhook|CustomResourceFieldSelectors MUST list and watch/,
    reason: 'serve a conversion webhook',
  },
  { test: /Aggregator Should be able to support the .* Sample API Server/, reason: 'serve an API' },
  {
    test: /(?:ReplicaSet|ReplicationController) should serve a basic image on each replica/,
    reason: 'answer to HTTP through the proxy of the API server',
  },
  {
    test: /StatefulSetBasic\] should perform rolling updates and roll backs of template modifications/,
    reason: 'run `kubectl exec`, which breaks and mends a probe',
  },
  { test: /ServiceAccounts should mount an API token into pods/, reason: 'run `kubectl exec`, which reads a file' },
  { test: /ServiceAccounts should mount projected service account token/, reason: 'print a file' },
  {
    test: /ServiceAccountIssuerDiscovery should support OIDC discovery/,
    reason: 'fetch keys of the API server, and print what it found',
  },
  { test: /Kubectl expose should create services for rc/, reason: 'print what its program says when it is ready' },
  { test: /Kubectl logs logs should be able to retrieve and filter logs/, reason: 'print lines' },
  { test: /Update Demo should/, reason: 'answer to HTTP through the proxy of the API server' },
  {
    test: /Guestbook application should create and stop/,
    reason: 'serve HTTP to its neighbours, and answer through the proxy of the API server',
  },
];

export function reasonOf(name: string): string | undefined {
  return NEEDS_CONTAINERS.find(({ test }) => test.test(name))?.reason;
}

/** Whether hollow nodes can't pass the test. */
export function isListed(name: string): boolean {
  return reasonOf(name) !== undefined;
}
