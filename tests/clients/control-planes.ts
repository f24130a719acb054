import { testReleases } from '../process-runtime/releases.ts';

const { offered } = await testReleases();

/** The API server of the cluster that a client is tested on. */
export const CONTROL_PLANES = [
  { plane: 'a hollow cluster', controlPlane: 'simulated', isMissing: false },
  {
    plane: `a process control plane ${offered?.described ?? '(skipped: no binaries of 1.31 or later are found)'}`,
    controlPlane: 'process',
    isMissing: offered === undefined,
  },
] as const;

/** The control planes that clients are tested on. */
export const MANIFEST = `
apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: { name: demo }
spec: { plan: free }
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: demo }
spec: { clusterName: demo, flavor: b3-16, replicas: 2 }
`;
