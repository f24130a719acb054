import { isCidr } from '@fairway/api/domain/cidr';
import type { UserRange } from '@fairway/control-plane/process/cluster-users';
import { parseEgressTarget } from '@fairway/control-plane/process/egress/egress-policy';
import { cidrSet } from '@fairway/control-plane/process/egress/special-addresses';
import { InvalidArgumentError } from 'commander';

/** The highest id that no tool treats as negative. */
const MAX_ID = 2_147_483_646;

/** Parses `1900000000-1900009999`: a range of ids reserved for Fairway, excluding root. Throws InvalidArgumentError. */
export function parseUserRange(text: string): UserRange {
  const [, first, last] = (/^(\d{1,10})-(\d{1,10})$/.exec(text) ?? []).map(Number);
  if (first === undefined || last === undefined || first < 1 || last < first || last > MAX_ID) {
    throw new InvalidArgumentError(`Must be FIRST-LAST, from 1 to ${MAX_ID}, such as 1900000000-1900009999.`);
  }
  return { first, last };
}

/** Appends a range with or without a port. Throws InvalidArgumentError. */
export function collectEgressTargets(text: string, before: readonly string[]): readonly string[] {
  return collect(text, before, parseEgressTarget);
}

/** Appends a range. Throws InvalidArgumentError. */
export function collectRanges(text: string, before: readonly string[]): readonly string[] {
  return collect(text, before, (range) => cidrSet([range]));
}

/** Appends a range of IPv4 addresses; allow-lists of API servers support no others. Throws InvalidArgumentError. */
export function collectIPv4Ranges(text: string, before: readonly string[]): readonly string[] {
  return collect(text, before, (range) => {
    if (!isCidr(range)) throw new Error(`"${range}" must be a range of IPv4 addresses, such as 192.0.2.0/24`);
  });
}

function collect(text: string, before: readonly string[], parse: (text: string) => unknown): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : String(error)}.`);
  }
  return [...before, text];
}
