import { readFileSync } from 'node:fs';
import { USAGE_RESOURCES } from '@fairway/api/kinds/usage-record';
import { usageError } from '@fairway/service/command-error';
import { load } from 'js-yaml';
import { z } from 'zod';
import type { HourlyPrice } from '../data-frames.ts';

const price = z.number().min(0).max(1e9);
const pricesByType = z.record(z.string().min(1).max(255), price);
const Prices = z.strictObject(Object.fromEntries(USAGE_RESOURCES.map((each) => [each, pricesByType.optional()])));

/**
 * Reads hourly prices: `Node: {b3-8: 0.05, "*": 0.1}`, where `*` stands for all other types. Throws a usage
 * CommandError.
 */
export function readPrices(file: string): HourlyPrice {
  const prices = parsePrices(file, readText(file));
  return (resource, type) => {
    const resourcePrices = prices[resource] ?? {};
    const found = Object.hasOwn(resourcePrices, type) ? resourcePrices[type] : resourcePrices['*'];
    if (found !== undefined) return found;
    throw usageError(
      `--prices: ${file} has no price for ${resource} ${type}`,
      `add "${type}" under ${resource}, or "*" for all other types; 0 is a price`,
    );
  };
}

function parsePrices(file: string, text: string): z.infer<typeof Prices> {
  let content: unknown;
  try {
    content = load(text);
  } catch (error) {
    throw usageError(`--prices: ${file} is not YAML: ${(error as Error).message}`, undefined, error);
  }
  const read = Prices.safeParse(content);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw usageError(
    `--prices: ${file}: ${where === '' ? '' : `${where}: `}${issue?.message}`,
    `list the hourly price of each type, from 0 to 1000000000, under ${USAGE_RESOURCES.join(', ')}`,
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`--prices: cannot read ${file}: ${(error as Error).message}`, undefined, error);
  }
}
