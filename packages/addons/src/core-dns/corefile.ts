/** Mount path for the tenant's own settings, from an optional ConfigMap. */
export const CUSTOM_FOLDER = '/etc/coredns/custom';

/**
 * CoreDNS configuration: it resolves the names of the cluster's Services and pods itself, and other names as the node
 * does. Tenants extend it with the ConfigMap kube-system/coredns-custom.
 */
export function corefile(domain: string): string {
  return `.:53 {
    errors
    health {
        lameduck 5s
    }
    ready
    kubernetes ${domain} in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    prometheus :9153
    import ${CUSTOM_FOLDER}/*.override
    forward . /etc/resolv.conf {
        max_concurrent 1000
    }
    cache 30 {
        disable success ${domain}
        disable denial ${domain}
    }
    loop
    reload
    loadbalance
}
import ${CUSTOM_FOLDER}/*.server
`;
}
