import { durationMs } from '@fairway/api/domain/duration';
import { InvalidArgumentError, Option } from 'commander';

/** Output formats, named as in kubectl. */
export const OUTPUT_FORMATS = ['wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export function outputOption(formats: readonly string[] = OUTPUT_FORMATS): Option {
  return new Option('-o, --output <format>', 'output format; default: a table').choices(formats);
}

/** Parses an integer of at least `min`. */
export function wholeNumber(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^[0-9]+$/.test(text) || value < min)
      throw new InvalidArgumentError(`Must be a whole number of at least ${min}.`);
    return value;
  };
}

/** Parses `90s`, `10m`, `1h30m` to milliseconds. */
export function milliseconds(text: string): number {
  try {
    const ms = durationMs(text);
    if (ms <= MAX_DURATION_MS) return ms;
  } catch {
    // Same error as for an invalid duration.
  }
  throw new InvalidArgumentError('Must be a duration such as 90s, 10m or 1h30m, of at most 99999h.');
}

/** Same limit as in the API: now plus a duration must be a valid time. */
const MAX_DURATION_MS = 99_999 * 3_600_000;

/** Like {@link milliseconds}, from `shortest` to `longest`. */
export function durationBetween(min: string, max = '99999h'): (text: string) => number {
  return (text) => {
    const value = milliseconds(text);
    if (value < milliseconds(min) || value > milliseconds(max)) {
      throw new InvalidArgumentError(`Must be a duration from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Merges `a,b` and repeated options into one list. */
export function commaList(text: string, previous: readonly string[] | undefined): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) throw new InvalidArgumentError('The list has an empty entry.');
  return [...(previous ?? []), ...items];
}

/** Parses `key=value`, repeated or separated by commas. */
export function keyValues(
  text: string,
  previous: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => {
    const [key = '', ...rest] = pair.split('=');
    if (key === '' || rest.length === 0) throw new InvalidArgumentError(`"${pair}" must have the form key=value.`);
    return [key, rest.join('=')] as const;
  });
  return { ...previous, ...Object.fromEntries(pairs) };
}

/** Collects repeated options. */
export function collect(text: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), text];
}

/** Parses one `key=value`, as `openstack server create --property` does; the value may contain commas. */
export function property(
  text: string,
  previous: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError(`"${text}" must have the form key=value.`);
  return { ...previous, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** An additional network of a pool, as in its spec. */
export interface NetworkOption {
  readonly networkID: string;
  readonly subnetID?: string;
}

/** Parses `NETWORK` or `NETWORK/SUBNET`, both as ids; can be repeated. */
export function networks(
  text: string,
  previous: readonly NetworkOption[] | false | undefined,
): readonly NetworkOption[] {
  const [networkID = '', subnetID, ...more] = text.split('/');
  if (networkID === '' || subnetID === '' || more.length > 0) {
    throw new InvalidArgumentError(`"${text}" must have the form NETWORK or NETWORK/SUBNET, with IDs.`);
  }
  return [...(previous || []), { networkID, ...(subnetID !== undefined && { subnetID }) }];
}

/** A taint in the syntax of `kubectl taint`. */
export interface TaintOption {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

const TAINT = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/;

/** Parses `key=value:Effect` or `key:Effect`, repeated or separated by commas. */
export function taints(text: string, previous: readonly TaintOption[] | undefined): readonly TaintOption[] {
  const added = text.split(',').map((item): TaintOption => {
    const [, key = '', value, effect] = TAINT.exec(item) ?? [];
    if (effect === undefined) {
      throw new InvalidArgumentError(
        `"${item}" must have the form key=value:NoSchedule (or PreferNoSchedule, NoExecute).`,
      );
    }
    return { key, ...(value !== undefined && { value }), effect: effect as TaintOption['effect'] };
  });
  return [...(previous ?? []), ...added];
}

/**
 * `--wait`. Every command that starts something accepts it and `--no-wait`, so a script need not depend on the default.
 */
export function waitOption(until: string, { isDefault = true } = {}): Option {
  const option = new Option('--wait', `wait until ${until}${isDefault ? '; the default' : ''}`);
  return isDefault ? option.default(true) : option;
}

/** `--no-wait`, the counterpart of {@link waitOption}. */
export function noWaitOption({ isDefault = false } = {}): Option {
  return new Option('--no-wait', `return as soon as the request is accepted${isDefault ? '; the default' : ''}`);
}

/** The desired number of nodes. */
export function nodesOption(): Option {
  return new Option('--nodes <count>', 'number of nodes').argParser(wholeNumber(0)).makeOptionMandatory(true);
}

/** `--dry-run`: the server itself reports what it would do, including admission. */
export function dryRunOption(): Option {
  return new Option('--dry-run', 'validate the request on the server and show what would be done, without doing it');
}

/** The total time to wait. For a command that doesn't wait by default it implies `--wait`. */
export function timeoutOption(defaultText: string, { isWaitDefault = true } = {}): Option {
  const option = new Option('--timeout <duration>', `maximum time to wait${isWaitDefault ? '' : '; implies --wait'}`)
    .argParser(milliseconds)
    .default(milliseconds(defaultText), defaultText);
  return isWaitDefault ? option : option.implies({ wait: true });
}

export interface WaitOptions {
  readonly wait: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** The configuration file, under one name for every command that reads it. */
export function configOption(): Option {
  return new Option('--config <file>', 'configuration file; default: FAIRWAY_CONFIG (docs/operators/configuration.md)');
}
