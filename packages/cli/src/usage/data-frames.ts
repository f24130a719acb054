import type { UsageRow } from '@fairway/api/domain/usage/report';
import { isInGiB, type UsageResource } from '@fairway/api/kinds/usage-record';
import { formatTime } from '@fairway/base/clock';
import type { DataFrame, DataPoint } from '@fairway/openstack/types/rating';

/** Names of CloudKitty's metrics and Ceilometer's meters. */
export const METRICS: Readonly<Record<UsageResource, string>> = {
  ControlPlane: 'fairway.control_plane',
  Node: 'fairway.node',
  RootVolume: 'fairway.root_volume',
  Volume: 'fairway.volume',
  LoadBalancer: 'fairway.load_balancer',
  FloatingIP: 'fairway.floating_ip',
};

/** Price per hour of the resource, or per GiB-hour. */
export type HourlyPrice = (resource: UsageResource, type: string) => number;

const FREE_PRICE: HourlyPrice = () => 0;

/**
 * Rows for CloudKitty (`POST /v2/dataframes`), one frame per period. CloudKitty stores the given price and rates
 * nothing itself.
 */
export function dataFrames(rows: readonly UsageRow[], price: HourlyPrice = FREE_PRICE): DataFrame[] {
  const rowsByPeriod = Map.groupBy(rows, ({ fromMs, toMs }) => `${fromMs} ${toMs}`);
  return [...rowsByPeriod.values()].map((periodRecords) => {
    const [{ fromMs, toMs } = { fromMs: 0, toMs: 0 }] = periodRecords;
    const pointsByMetric = Map.groupBy(periodRecords, ({ resource }) => METRICS[resource]);
    return {
      period: { begin: formatTime(fromMs), end: formatTime(toMs) },
      usage: Object.fromEntries(
        [...pointsByMetric].map(([metric, points]) => [metric, points.map((point) => dataPoint(point, price))]),
      ),
    };
  });
}

/**
 * Decimals are strings, exact to a millionth of an hour (four milliseconds). InfluxDB identifies a point by its time
 * and groupby alone, with the metric in the key `type` (cloudkitty/storage/v2/influx.py), so two flavors of a cluster
 * must differ in a different key.
 */
function dataPoint(row: UsageRow, price: HourlyPrice): DataPoint {
  const { resource, type, amount, namespace, projectID = '', cluster, clusterUID } = row;
  return {
    vol: { unit: isInGiB(resource) ? 'GiB-h' : 'h', qty: hoursOf(amount, 6) },
    rating: { price: ((amount / 3600) * price(resource, type)).toFixed(6) },
    groupby: {
      project_id: projectID,
      namespace,
      resource_type: type,
      ...(clusterUID !== undefined && { cluster_id: clusterUID }),
    },
    metadata: cluster === undefined ? {} : { cluster_name: cluster },
  };
}

export function hoursOf(seconds: number, digits: number): string {
  return (seconds / 3600).toFixed(digits);
}
