import { dump } from 'js-yaml';
import type { AddonFacts } from '../addon.ts';

/** Mount path for the ConfigMap. */
export const CONFIG_FOLDER = '/var/lib/kube-proxy';
export const CONFIG_KEY = 'config.conf';
export const KUBECONFIG_KEY = 'kubeconfig.conf';

const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** KubeProxyConfiguration in YAML. kube-proxy's defaults apply to omitted fields. */
export function proxyConfiguration({ podCIDR, kubeProxy }: AddonFacts): string {
  const { mode, iptables, ipvs } = kubeProxy;
  return dump(
    withoutUndefined({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      bindAddress: '0.0.0.0',
      clientConnection: { kubeconfig: `${CONFIG_FOLDER}/${KUBECONFIG_KEY}` },
      clusterCIDR: podCIDR,
      mode,
      ...(mode === 'iptables' && iptables && { iptables: withoutUndefined(iptables) }),
      ...(mode === 'ipvs' && ipvs && { ipvs: withoutUndefined(ipvs) }),
    }),
  );
}

/**
 * kube-proxy's kubeconfig, in YAML. kube-proxy authenticates as its service account, and uses an address that works
 * without Services.
 */
export function proxyKubeconfig({ server }: AddonFacts): string {
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default', cluster: { 'certificate-authority': `${ACCOUNT_FOLDER}/ca.crt`, server } }],
    contexts: [{ name: 'default', context: { cluster: 'default', namespace: 'default', user: 'default' } }],
    'current-context': 'default',
    users: [{ name: 'default', user: { tokenFile: `${ACCOUNT_FOLDER}/token` } }],
  });
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
