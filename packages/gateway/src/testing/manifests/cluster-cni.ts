import type { Row } from './row.ts';

export const CLUSTER_CNI_ROWS: readonly Row[] = [
  {
    name: 'a pod network that the plan supports',
    spec: { cni: { type: 'canal' } },
  },
  {
    name: 'a pod network that the plan does not support',
    spec: { cni: { type: 'cilium' } },
    refused: ['spec.cni.type: Unsupported value: "cilium": plan "free" supports "canal", "none"'],
  },
  {
    name: 'a pod network that nobody has',
    spec: { cni: { type: 'calico' } },
    refused: ['spec.cni.type: Unsupported value: "calico": supported values: "canal", "cilium", "none"'],
  },
  {
    name: 'no pod network',
    spec: { cni: { type: 'none' } },
  },
  {
    name: 'neither a pod network nor kube-proxy',
    spec: { plan: 'standard', cni: { type: 'none' } },
    warnings: [
      'spec.cni.type: none: without kube-proxy, the pod network that you install must also implement Services, such as Cilium with kubeProxyReplacement',
    ],
  },
  {
    name: 'another pod network',
    isUpdate: true,
    metadata: { name: 'demo' },
    spec: { cni: { type: 'none' } },
    refused: ['spec.cni.type: Forbidden: cannot be changed after creation: it was not set'],
  },
  {
    name: 'Cilium, which the plan has',
    spec: { plan: 'custom', region: 'RegionOne', cni: { type: 'cilium' } },
  },
  {
    name: 'settings of Cilium for canal',
    spec: { cni: { cilium: { clusterID: 7 } } },
    refused: ['spec.cni.cilium: Forbidden: is only for CNI cilium, but the cluster has canal: remove it'],
  },
  {
    name: 'a mesh',
    spec: { plan: 'custom', region: 'RegionOne', cni: { cilium: { clusterID: 7, clusterMesh: { enabled: true } } } },
    has: { 'spec.cni.cilium.clusterMesh': { enabled: true } },
    warnings: [
      'spec.cni.cilium.clusterID (7): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.clusterMesh.enabled (true): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
    ],
  },
  {
    name: 'a mesh without a number',
    spec: { plan: 'custom', region: 'RegionOne', cni: { cilium: { clusterMesh: { enabled: true } } } },
    refused: [
      'spec.cni.cilium.clusterID: Invalid value: is required by clusterMesh: give each cluster of the mesh its own number from 1 to 255',
    ],
  },
  {
    name: 'a number above 255',
    spec: { plan: 'custom', region: 'RegionOne', cni: { cilium: { clusterID: 256 } } },
    refused: [
      'spec.cni.cilium.clusterID: Invalid value: 256: spec.cni.cilium.clusterID in body should be less than or equal to 255',
    ],
  },
  {
    name: 'a mesh with serviceType LoadBalancer, the default',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: { cilium: { clusterID: 7, clusterMesh: { enabled: true, apiServer: {} } } },
    },
    has: { 'spec.cni.cilium.clusterMesh.apiServer.serviceType': 'LoadBalancer' },
    warnings: [
      'spec.cni.cilium.clusterID (7): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.clusterMesh.apiServer.serviceType (LoadBalancer): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.clusterMesh.enabled (true): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
    ],
  },
  {
    name: 'a mesh by NodePort',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: {
        cilium: {
          clusterID: 7,
          clusterMesh: { enabled: true, apiServer: { serviceType: 'NodePort', nodePort: 32000 } },
        },
      },
    },
    warnings: [
      'spec.cni.cilium.clusterID (7): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.clusterMesh.apiServer.nodePort (32000): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.clusterMesh.apiServer.serviceType (NodePort): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.clusterMesh.enabled (true): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
    ],
  },
  {
    name: 'a node port for serviceType LoadBalancer',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: { cilium: { clusterID: 7, clusterMesh: { enabled: true, apiServer: { nodePort: 32000 } } } },
    },
    refused: [
      'spec.cni.cilium.clusterMesh.apiServer.nodePort: Invalid value: 32000: is only for serviceType NodePort: remove it, or set serviceType to NodePort',
    ],
    refusedByCrd: [
      'spec.cni.cilium.clusterMesh.apiServer.nodePort: Invalid value: is only for serviceType NodePort: remove it, or set serviceType to NodePort',
    ],
  },
  {
    name: 'a node port that is none',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: { cilium: { clusterMesh: { apiServer: { serviceType: 'NodePort', nodePort: 80 } } } },
    },
    refused: [
      'spec.cni.cilium.clusterMesh.apiServer.nodePort: Invalid value: 80: spec.cni.cilium.clusterMesh.apiServer.nodePort in body should be greater than or equal to 30000',
    ],
  },
  {
    name: 'a mesh by ClusterIP',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: { cilium: { clusterMesh: { apiServer: { serviceType: 'ClusterIP' } } } },
    },
    refused: [
      'spec.cni.cilium.clusterMesh.apiServer.serviceType: Unsupported value: "ClusterIP": supported values: "LoadBalancer", "NodePort"',
    ],
  },
  {
    name: 'hubble with relay and UI',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: { cilium: { hubble: { enabled: true, relay: { enabled: true }, ui: { enabled: true } } } },
    },
    warnings: [
      'spec.cni.cilium.hubble.enabled (true): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.hubble.relay.enabled (true): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.hubble.ui.enabled (true): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
    ],
  },
  {
    name: 'an interface without hubble',
    spec: { plan: 'custom', region: 'RegionOne', cni: { cilium: { hubble: { ui: { enabled: true } } } } },
    refused: [
      'spec.cni.cilium.hubble.ui.enabled: Invalid value: true: requires hubble and its relay: set hubble.enabled and hubble.relay.enabled to true, or disable the UI',
    ],
    refusedByCrd: [
      'spec.cni.cilium.hubble.ui.enabled: Invalid value: requires hubble and its relay: set hubble.enabled and hubble.relay.enabled to true, or disable the UI',
    ],
  },
  {
    name: 'a UI without the relay',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: { cilium: { hubble: { enabled: true, ui: { enabled: true } } } },
    },
    refused: [
      'spec.cni.cilium.hubble.ui.enabled: Invalid value: true: requires hubble and its relay: set hubble.enabled and hubble.relay.enabled to true, or disable the UI',
    ],
    refusedByCrd: [
      'spec.cni.cilium.hubble.ui.enabled: Invalid value: requires hubble and its relay: set hubble.enabled and hubble.relay.enabled to true, or disable the UI',
    ],
  },
  {
    name: 'a relay without hubble',
    spec: { plan: 'custom', region: 'RegionOne', cni: { cilium: { hubble: { relay: { enabled: true } } } } },
    refused: [
      'spec.cni.cilium.hubble.relay.enabled: Invalid value: true: requires hubble: set hubble.enabled to true, or disable the relay',
    ],
    refusedByCrd: [
      'spec.cni.cilium.hubble.relay.enabled: Invalid value: requires hubble: set hubble.enabled to true, or disable the relay',
    ],
  },
  {
    name: 'resources of the interface',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: {
        cilium: {
          hubble: {
            ui: {
              backendResources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
            },
          },
        },
      },
    },
    warnings: [
      'spec.cni.cilium.hubble.ui.backendResources.limits.cpu (500m): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.hubble.ui.backendResources.limits.memory (256Mi): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.hubble.ui.backendResources.requests.cpu (100m): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
      'spec.cni.cilium.hubble.ui.backendResources.requests.memory (64Mi): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
    ],
  },
  {
    name: 'lots of CPU',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: { cilium: { hubble: { ui: { backendResources: { limits: { cpu: 'lots' } } } } } },
    },
    refused: [
      'spec.cni.cilium.hubble.ui.backendResources.limits.cpu: Invalid value: "lots": must be a Kubernetes quantity such as 500m, 2 or 256Mi',
    ],
  },
  {
    name: 'a negative quantity',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: { cilium: { hubble: { ui: { frontendResources: { requests: { memory: '-1Gi' } } } } } },
    },
    refused: [
      'spec.cni.cilium.hubble.ui.frontendResources.requests.memory: Invalid value: "-1Gi": must be a Kubernetes quantity such as 500m, 2 or 256Mi',
    ],
  },
  {
    name: 'a limit below its request',
    spec: {
      plan: 'custom',
      region: 'RegionOne',
      cni: {
        cilium: { hubble: { ui: { frontendResources: { limits: { memory: '64Mi' }, requests: { memory: '1Gi' } } } } },
      },
    },
    refused: [
      'spec.cni.cilium.hubble.ui.frontendResources.limits.memory: Invalid value: "64Mi": must not be less than requests.memory (1Gi): raise it, or lower the request',
    ],
  },
  {
    name: 'hubble by a word',
    spec: { plan: 'custom', region: 'RegionOne', cni: { cilium: { hubble: { enabled: 'yes' } } } },
    refused: [
      'spec.cni.cilium.hubble.enabled: Invalid value: "string": spec.cni.cilium.hubble.enabled in body must be of type boolean: "string"',
    ],
  },
];
