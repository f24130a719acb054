import { z } from 'zod';
import { list, record } from './collections.ts';

/** A data point from CloudKitty. A quantity is a number or text, depending on the release. */
const RatedPoint = z.object({
  vol: z.object({ qty: z.union([z.number(), z.string()]) }),
  groupby: record(z.unknown()),
});

/** Usage in a period, by metric. https://docs.openstack.org/cloudkitty/latest/api-reference/v2/ */
export const RatedFrame = z.object({
  period: z.object({ begin: z.string(), end: z.string() }),
  usage: record(list(RatedPoint)),
});
export type RatedFrame = z.infer<typeof RatedFrame>;

/** A data point to send. Decimals are text. */
export interface DataPoint {
  readonly vol: { readonly unit: string; readonly qty: string };
  readonly rating: { readonly price: string };
  /** Identifies the point within its period and metric. */
  readonly groupby: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The points to send for a period. */
export interface DataFrame {
  /** ISO 8601. */
  readonly period: { readonly begin: string; readonly end: string };
  /** By metric. */
  readonly usage: Readonly<Record<string, readonly DataPoint[]>>;
}
