import type { NetworkOption, TaintOption } from '../command/options.ts';

/** Options of `cluster update`. */
export interface ClusterChange {
  readonly plan?: string;
  readonly updatePolicy?: string;
  readonly allowedCidrs?: readonly string[];
  readonly image?: string;
  readonly credential?: string;
  readonly maintenanceStart?: string;
  readonly maintenanceDuration?: string;
  readonly maintenanceDays?: readonly string[];
  readonly maintenanceTimeZone?: string;
  readonly patch?: object;
}

/** Options of `nodepool update`. */
export interface NodePoolChange {
  readonly cluster?: string;
  readonly flavor?: string;
  readonly image?: string;
  readonly rootVolume?: number;
  readonly zones?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly autoscaling?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly removeLabels?: readonly string[];
  readonly taints?: readonly TaintOption[] | false;
  readonly securityGroup?: readonly string[] | false;
  readonly network?: readonly NetworkOption[] | false;
  readonly floatingIps?: boolean;
  readonly patch?: object;
}

/** The merge patch for a cluster's spec; `--patch` takes precedence. Pure. */
export function clusterPatch(change: ClusterChange): object {
  const window = defined({
    start: change.maintenanceStart,
    duration: change.maintenanceDuration,
    days: change.maintenanceDays,
    timeZone: change.maintenanceTimeZone,
  });
  return {
    ...defined({
      plan: change.plan,
      updatePolicy: change.updatePolicy,
      image: change.image,
      credentialName: change.credential,
      apiServer: change.allowedCidrs && { allowedCIDRs: change.allowedCidrs },
      maintenance: window && { window },
    }),
    ...change.patch,
  };
}

/** The merge patch for a pool's spec; `--patch` takes precedence. Pure. */
export function nodePoolPatch(change: NodePoolChange): object {
  const { labels, removeLabels = [], network, securityGroup, taints } = change;
  const removed = Object.fromEntries(removeLabels.map((key) => [key, null]));
  const changedLabels = labels || removeLabels.length > 0 ? { ...removed, ...labels } : undefined;
  return {
    ...defined({
      clusterName: change.cluster,
      flavor: change.flavor,
      image: change.image,
      rootVolume: change.rootVolume === undefined ? undefined : { sizeGiB: change.rootVolume },
      availabilityZones: change.zones,
      minReplicas: change.min,
      maxReplicas: change.max,
      autoscaling: change.autoscaling === undefined ? undefined : { enabled: change.autoscaling },
      securityGroups: securityGroup === false ? null : securityGroup,
      networks: network === false ? null : network,
      floatingIPs: change.floatingIps === undefined ? undefined : { enabled: change.floatingIps },
      template: defined({
        metadata: changedLabels && { labels: changedLabels },
        spec: taints === undefined ? undefined : { taints: taints === false ? null : taints },
      }),
    }),
    ...change.patch,
  };
}

/** Drops undefined fields; undefined if none is left. */
function defined(fields: Readonly<Record<string, unknown>>): object | undefined {
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined);
  return definedFields.length === 0 ? undefined : Object.fromEntries(definedFields);
}
