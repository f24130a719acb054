import { z } from 'zod';
import { list, record } from './collections.ts';

/** What CloudKitty tells of a data point. A quantity is a number or text, by release. */
const RatedPoint = z.object({
  vol: z.object({ qty: z.union([z.number(), z.string()]) }),
  groupby: record(z.unknown()),
});

/** What was used in a period, by metric. https://docs.openstack.org/cloudkitty/latest/api-reference/v2/ */
export const RatedFrame = z.object({
  period: z.object({ begin: z.string(), end: z.string() }),
  usage: record(list(RatedPoint)),
});
export type RatedFrame = z.infer<typeof RatedFrame>;

/** A data point as it is sent. Decimals are text. */
export interface DataPoint {
  readonly vol: { readonly unit: string; readonly qty: string };
  readonly rating: { readonly price: string };
  /** What it is known by, within its period and metric. */
  readonly groupby: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Points of a period, as they are sent. */
export interface DataFrame {
  /** ISO 8601. */
  readonly period: { readonly begin: string; readonly end: string };
  /** By metric. */
  readonly usage: Readonly<Record<string, readonly DataPoint[]>>;
}
