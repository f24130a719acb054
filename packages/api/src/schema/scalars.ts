import { z } from 'zod';
import { isCidr } from '../domain/cidr.ts';
import { cronProblem, MAX_CRON_LENGTH } from '../domain/cron-problem.ts';
import { MAX_TIME_ZONE_LENGTH, timeZoneProblem } from '../domain/time-zone.ts';

/**
 * Long enough for names and IPv6 addresses entered by mistake: the format error is then more helpful than the length
 * error.
 */
const MAX_ADDRESS_LENGTH = 64;

/** An integer in the range that Kubernetes uses for replicas. */
export function int32() {
  return z.int32().meta({ format: 'int32' });
}

/** `IntOrString` as in Deployments: a number of nodes up to `maximum`, or a percentage. */
export function countOrPercentage(maximum: number) {
  const words = `must be a number of nodes from 0 to ${maximum}, or a percentage from "0%" to "100%" such as "25%"`;
  return z.union(
    [
      int32().min(0).max(maximum),
      z
        .string()
        .max(4)
        .regex(/^(0|[1-9][0-9]?|100)%$/, words),
    ],
    { error: words },
  );
}

/** A time in `metav1.Time` format. */
export function timestamp() {
  return z.string().meta({ format: 'date-time' });
}

/** `metav1.Duration` in its common form: `90s`, `10m`, `1h30m`; limited to years, so that the current time plus a duration is a valid time. */
export function duration() {
  return z
    .string()
    .max(32)
    .regex(
      /^([0-9]{1,5}h([0-9]{1,7}m)?([0-9]{1,9}s)?|[0-9]{1,7}m([0-9]{1,9}s)?|[0-9]{1,9}s)$/,
      'must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    );
}

/**
 * A CEL expression for whether the field has this format. Rules ignore values in any other format, which are reported
 * separately.
 */
export function isDurationCel(field: string): string {
  return `${field}.matches('^([0-9]{1,9}[hms]){1,3}$')`;
}

/** Like `duration`, but at least one minute. */
export function minutes() {
  return z
    .string()
    .max(32)
    .regex(
      /^([1-9][0-9]?h([0-9]{1,2}m)?([0-9]{1,2}s)?|[1-9][0-9]{0,3}m([0-9]{1,2}s)?)$/,
      'must be a duration of at least one minute, such as 10m or 1h30m',
    );
}

/** A time set by a user, in UTC. */
export function requestTime() {
  return z
    .string()
    .max(35)
    .regex(
      /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$/,
      'must be a time in UTC such as 2026-11-21T16:30:00Z',
    )
    .meta({ format: 'date-time' });
}

/** A Kubernetes version as users write it: a minor version such as `1.34`, or an exact one. */
export function kubernetesVersion() {
  return z
    .string()
    .max(16)
    .regex(/^[0-9]+\.[0-9]+(\.[0-9]+)?$/, 'must be a Kubernetes version such as 1.34 or 1.34.2');
}

/** The name of a time zone in the IANA database. */
export function timeZone() {
  return z
    .string()
    .min(1)
    .max(MAX_TIME_ZONE_LENGTH, { abort: true })
    .superRefine((name, context) => {
      const message = timeZoneProblem(name);
      if (message !== undefined) context.addIssue({ code: 'custom', input: name, message });
    });
}

/** A cron expression with five fields whose times are at least an hour apart. */
export function cron() {
  return z
    .string()
    .min(1)
    .max(MAX_CRON_LENGTH, { abort: true })
    .superRefine((text, context) => {
      const message = cronProblem(text);
      if (message !== undefined) context.addIssue({ code: 'custom', input: text, message });
    });
}

/** A non-negative Kubernetes quantity, such as `500m`, `1.5` or `256Mi`. */
export function quantity() {
  return z
    .string()
    .max(32)
    .regex(
      /^[0-9]+(\.[0-9]{1,9})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/,
      'must be a Kubernetes quantity such as 500m, 2 or 256Mi',
    );
}

/** An IPv4 network in CIDR notation; the host bits must be zero. */
export function ipv4Cidr() {
  const error = 'must be an IPv4 network with its host bits zero, such as 10.2.0.0/16';
  return z
    .string()
    .max(MAX_ADDRESS_LENGTH, { abort: true })
    .regex(/^[0-9]{1,3}(\.[0-9]{1,3}){3}\/[0-9]{1,2}$/, { error, abort: true })
    .refine(isCidr, error)
    .meta({ format: 'cidr' });
}

/** An IPv4 address. */
export function ipv4() {
  const error = 'must be an IPv4 address such as 192.168.0.1';
  return z
    .string()
    .max(MAX_ADDRESS_LENGTH, { abort: true })
    .regex(/^[0-9]{1,3}(\.[0-9]{1,3}){3}$/, { error, abort: true })
    .refine((text) => isCidr(`${text}/32`), error)
    .meta({ format: 'ipv4' });
}

/** The ID of an OpenStack resource: a UUID, which some services write without dashes. */
export function openstackId() {
  return z
    .string()
    .max(36)
    .regex(
      /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/,
      'must be the ID (UUID) of an OpenStack resource, not its name',
    );
}
