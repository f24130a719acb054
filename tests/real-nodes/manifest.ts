/** One image for each pool. */
const POOLS = ['debian-12-containerd', 'debian-12'] as const;

/** A cluster with one node of each image, as a tenant writes it. */
export function clusterManifest(version: string, { plan = 'free', cni = 'none' } = {}): string {
  const pools = POOLS.map(
    (image, index) => `---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: {name: pool-${index + 1}}
spec: {clusterName: demo, flavor: b3-8, replicas: 1, image: ${image}}
`,
  );
  return `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: {name: demo}
spec: {plan: ${plan}, version: ${version}, cni: {type: ${cni}}}
${pools.join('')}`;
}
