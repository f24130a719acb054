interface ContainerRequirement {
  readonly test: RegExp;
  /** The feature that hollow nodes lack. */
  readonly reason: string;
}

/** Tests that can't pass on hollow nodes, which run no containers. A run fails if one of them passes. */
export const CONTAINER_REQUIREMENTS: readonly ContainerRequirement[] = [
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
    test: /StatefulSetBasic\] (?:should perform rolling updates and roll backs|Scaling should happen|Burst scaling)/,
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
  { test: /sig-network\] DNS should/, reason: 'ask the name server of the cluster, and say what it answers' },
  {
    test: /Networking Granular Checks|EndpointSlice should support a Service with multiple/,
    reason: 'serve its neighbours',
  },
  {
    test: /Services should (?:be able to|have session affinity|serve)/,
    reason: 'serve its neighbours through a Service, or run `kubectl exec`, which asks one',
  },
  { test: /HostPort validates/, reason: 'serve on ports of its node' },
  { test: /sig-network\] Proxy version v1/, reason: 'answer to HTTP through the proxy of the API server' },
  { test: /Container Lifecycle Hook|PreStop should call/, reason: 'call hooks, and serve them' },
  { test: /container that exits should run with the expected status/, reason: 'count its starts in a file' },
  {
    test: /sig-node\] (?:Containers should|Downward API should|ConfigMap should be consumable|Secrets should be consumable)/,
    reason: 'print its arguments and variables',
  },
  { test: /Pods should contain environment variables for services/, reason: 'print its variables' },
  { test: /Variable Expansion should (?:allow|succeed)/, reason: 'print its variables and files' },
  { test: /Ephemeral Containers/, reason: 'run `kubectl exec`, and print lines' },
  { test: /ImageVolume|KubeletManagedEtcHosts/, reason: 'run `kubectl exec`, which reads a file' },
  {
    test: /scheduling (?:a busybox command in a pod|a read only busybox|an agnhost Pod with hostAliases)/,
    reason: 'print lines',
  },
  { test: /Pods should support (?:remote command|retrieving logs)/, reason: 'run a command, and print lines' },
  {
    test: /Probing container (?:should be restarted|should have monotonically|with readiness probe that fails)/,
    reason: 'answer to probes, until it does no more',
  },
  { test: /Pod InPlace Resize/, reason: 'run `kubectl exec`, which reads limits of cgroups' },
  { test: /Sysctls .* should support sysctls/, reason: 'print a setting of its kernel' },
  { test: /sig-node\] Security Context (?!.*=false )/, reason: 'print who it is, and what it may do' },
  {
    test: /sig-storage\] (?:Downward API volume|Projected|Subpath|EmptyDir volumes)/,
    reason: 'write and print files of its volumes',
  },
  {
    test: /sig-storage\] (?:ConfigMap|Secrets) .*(?:consumable|reflected in volume|able to mount)/,
    reason: 'print files of its volumes',
  },
];

export function reasonOf(name: string): string | undefined {
  return CONTAINER_REQUIREMENTS.find(({ test }) => test.test(name))?.reason;
}

/** Whether the test can't pass on hollow nodes. */
export function isListed(name: string): boolean {
  return reasonOf(name) !== undefined;
}
