/** A duration in milliseconds: constant, or uniformly distributed between two bounds. */
export type Duration = number | readonly [fromMs: number, toMs: number];

/**
 * The cloud's latencies. An operation is looked up as `service METHOD template`, then as `service METHOD`, then as
 * `service`; operations that are not found take no time.
 */
export interface LatencyProfile {
  readonly operations: Readonly<Record<string, Duration>>;
  /** Durations of asynchronous work after the API's response. */
  readonly lifecycle: Readonly<Record<LifecycleStep, Duration>>;
}

export type LifecycleStep = keyof typeof NO_DELAY;

const NO_DELAY = {
  schedule: 0,
  network: 0,
  spawn: 0,
  delete: 0,
  stop: 0,
  start: 0,
  reboot: 0,
  rebuild: 0,
  resize: 0,
  /** Applies to load balancers whose provider boots virtual machines; other providers take as long as for an update. */
  loadBalancerCreate: 0,
  loadBalancerUpdate: 0,
  loadBalancerDelete: 0,
  loadBalancerFailover: 0,
  createVolume: 0,
  deleteVolume: 0,
  extendVolume: 0,
  retypeVolume: 0,
  attachVolume: 0,
  detachVolume: 0,
  createSnapshot: 0,
  deleteSnapshot: 0,
  createShare: 0,
  deleteShare: 0,
  resizeShare: 0,
  /** Applies to both steps of a rule: queueing and applying it. */
  changeShareAccess: 0,
  createShareSnapshot: 0,
  deleteShareSnapshot: 0,
};

export const NO_LATENCY: LatencyProfile = {
  operations: {},
  lifecycle: NO_DELAY,
};

/** API latencies measured on OpenStack Zed; boot times typical of public clouds. */
export const REALISTIC_LATENCY: LatencyProfile = {
  operations: {
    identity: 20,
    'identity POST /v3/auth/tokens': 70,
    compute: 60,
    'compute GET /v2.1/servers': 150,
    'compute GET /v2.1/servers/detail': 150,
    'compute POST /v2.1/servers': 400,
    'compute DELETE': 70,
    network: 50,
    'network POST': 80,
    'network POST /v2.0/subnets': 140,
    'network POST /v2.0/ports': 140,
    'network POST /v2.0/routers': 760,
    'network PUT /v2.0/routers/{id}': 700,
    'network PUT /v2.0/routers/{id}/add_router_interface': 1070,
    'network PUT /v2.0/routers/{id}/remove_router_interface': 1000,
    'network POST /v2.0/floatingips': 610,
    'network PUT /v2.0/floatingips/{id}': 400,
    image: 40,
    'load-balancer': 60,
    'load-balancer POST': 300,
    'load-balancer PUT': 200,
    'load-balancer DELETE': 150,
    'block-storage': 60,
    'block-storage POST': 250,
    'key-manager': 40,
    'shared-file-system': 90,
    'shared-file-system POST': 250,
  },
  lifecycle: {
    schedule: [300, 700],
    network: [1000, 2500],
    spawn: [18_000, 36_000],
    delete: [1200, 5000],
    stop: [3000, 10_000],
    start: [3000, 8000],
    reboot: [8000, 15_000],
    rebuild: [15_000, 30_000],
    resize: [20_000, 40_000],
    loadBalancerCreate: [35_000, 70_000],
    loadBalancerUpdate: [1500, 4000],
    loadBalancerDelete: [8000, 20_000],
    loadBalancerFailover: [50_000, 90_000],
    createVolume: [1500, 4000],
    deleteVolume: [1500, 5000],
    extendVolume: [1000, 4000],
    retypeVolume: [5000, 20_000],
    attachVolume: [2500, 6000],
    detachVolume: [2500, 7000],
    createSnapshot: [2000, 6000],
    deleteSnapshot: [1500, 5000],
    createShare: [5000, 20_000],
    deleteShare: [3000, 10_000],
    resizeShare: [2000, 6000],
    changeShareAccess: [500, 2500],
    createShareSnapshot: [2000, 6000],
    deleteShareSnapshot: [1500, 5000],
  },
};

export function pickDurationMs(duration: Duration, random: () => number): number {
  if (typeof duration === 'number') return duration;
  const [fromMs, toMs] = duration;
  return Math.round(fromMs + random() * (toMs - fromMs));
}

export function operationDuration(
  profile: LatencyProfile,
  service: string,
  method: string,
  template: string,
): Duration {
  const { operations } = profile;
  return (
    operations[`${service} ${method} ${template}`] ?? operations[`${service} ${method}`] ?? operations[service] ?? 0
  );
}
