import type { UsageRow } from '@fairway/api/domain/usage/report';
import { isInGiB, type UsageResource } from '@fairway/api/kinds/usage-record';
import { formatTime } from '@fairway/base/clock';
import type { DataFrame, DataPoint } from '@fairway/openstack/types/rating';

/** Names of metrics of CloudKitty and of Ceilometer's meters. */
export const METRICS: Readonly<Record<UsageResource, string>> = {
  ControlPlane: 'fairway.control_plane',
  Node: 'fairway.node',
  RootVolume: 'fairway.root_volume',
  Volume: 'fairway.volume',
  LoadBalancer: 'fairway.load_balancer',
  FloatingIP: 'fairway.floating_ip',
};

/** What an hour of it costs, or a GiB for an hour. */
export type HourlyPrice = (resource: UsageResource, type: string) => number;

const FREE: HourlyPrice = () => 0;

/** Rows as CloudKitty takes them (`POST /v2/dataframes`), a frame for each period. It stores the price of what is sent to it, and rates nothing of it. */
export function dataFrames(rows: readonly UsageRow[], price: HourlyPrice = FREE): DataFrame[] {
  const byPeriod = Map.groupBy(rows, ({ fromMs, toMs }) => `${fromMs} ${toMs}`);
  return [...byPeriod.values()].map((ofPeriod) => {
    const [{ fromMs, toMs } = { fromMs: 0, toMs: 0 }] = ofPeriod;
    const byMetric = Map.groupBy(ofPeriod, ({ resource }) => METRICS[resource]);
    return {
      period: { begin: formatTime(fromMs), end: formatTime(toMs) },
      usage: Object.fromEntries(
        [...byMetric].map(([metric, points]) => [metric, points.map((point) => dataPoint(point, price))]),
      ),
    };
  });
}

/**
 * A decimal is text: a millionth of an hour is four milliseconds. InfluxDB knows a point by its time and groupby alone, with the metric in place of a key `type`
 * (cloudkitty/storage/v2/influx.py): two flavors of a cluster must differ by another key.
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
