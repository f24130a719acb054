import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageDetailExpiredError } from '@fairway/api/domain/usage/report';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { formatTime } from '@fairway/base/clock';
import { Cloud } from '@fairway/openstack/cloud';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { Rating } from '@fairway/openstack/rating/rating';
import { ratingService } from '@fairway/openstack/rating/service';
import { ServiceApi } from '@fairway/openstack/service-api';
import { OPERATOR_SERVICES } from '@fairway/openstack/services';
import { CommandError, usageError } from '@fairway/service/command-error';
import { readCloudsYaml } from '@fairway/service/up/clouds';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import { withConnection } from '../../client/connect.ts';
import type { CliContext, GlobalOptions } from '../../command/context.ts';
import { printable } from '../../output/printable.ts';
import { requireCloud } from '../../up/cloud-options.ts';
import { usageTimeMs } from '../time-option.ts';
import { PushLedger } from './ledger.ts';
import { readPrices } from './prices.ts';
import { HOUR_MS, pushUsage } from './push.ts';

export interface PushUsageOptions {
  readonly cloud: string;
  readonly since?: string;
  readonly prices?: string;
}

/** The outcome of a slower call is considered unknown, and is checked. */
const CALL_TIMEOUT_MS = 60_000;

/** Sends CloudKitty the missing hours, then exits. */
export async function runUsagePush(context: CliContext, globals: GlobalOptions, options: PushUsageOptions) {
  const { clock, signal, stdout, stderr, cwd } = context;
  const sinceMs = options.since === undefined ? undefined : firstHourMs(options.since);
  const price = options.prices === undefined ? () => 0 : readPrices(resolve(cwd, options.prices));
  const yaml = readCloudsYaml();
  requireCloud(yaml, options.cloud);
  const config = yaml.get(options.cloud);
  const cloud = new Cloud({
    config,
    clock,
    random: Math.random,
    userAgent: `fairway/${FAIRWAY_VERSION}`,
    readFile: (path) => readFileSync(path, 'utf8'),
    services: OPERATOR_SERVICES,
    timeouts: { attemptMs: CALL_TIMEOUT_MS, totalMs: CALL_TIMEOUT_MS },
  });
  try {
    await withConnection(context, globals, async ({ client }) => {
      const { session } = cloud.client();
      // Report a failed login or a catalog without CloudKitty before claiming the ledger.
      await session.endpoint(ratingService.type);
      const ledger = await PushLedger.claim({
        client,
        clock,
        signal,
        target: `${config.authUrl} ${config.region ?? ''}`.trim(),
        holder: randomUUID(),
        onWait: () => stderr.write('waiting for another run to end, for up to three minutes\n'),
      });
      const { items: records } = await client.resource(usageRecords).list({ signal });
      const rating = new Rating(new ServiceApi(session, ratingService.type));
      const print = (text: string) => stderr.write(printable(text));
      try {
        const { hours, points } = await pushUsage({ records, rating, ledger, clock, signal, price, sinceMs, print });
        await ledger.release();
        const next = ledger.nextMs === undefined ? '' : `; everything up to ${formatTime(ledger.nextMs)} has been sent`;
        stdout.write(`${hours} hours, ${points} points sent${next}\n`);
      } catch (error) {
        // The next run waits for calls that may still be in progress.
        const isSettled = !signal.aborted && !(isOpenStackError(error) && error.outcome === 'unknown');
        if (isSettled && !(error instanceof CommandError && error.cause !== undefined)) {
          await ledger.release().catch(() => {});
        }
        throw explained(error, options.cloud);
      }
    });
  } finally {
    await cloud.close();
  }
}

function firstHourMs(text: string): number {
  const ms = usageTimeMs('--since', text);
  if (ms % HOUR_MS !== 0) throw usageError(`--since: "${text}" is not the start of a UTC hour`);
  return ms;
}

function explained(error: unknown, cloud: string): unknown {
  if (error instanceof UsageDetailExpiredError) {
    return new CommandError(error.message, {
      advice:
        'hourly records are kept for eight days: bill that day with "fairway usage --by day", delete "next" of the ConfigMap usage-pushed-to-… in fairway-system, and start again with --since',
      cause: error,
    });
  }
  if (!isOpenStackError(error)) return error;
  if (error.kind === 'forbidden') {
    return new CommandError(`CloudKitty rejects data frames from the user of cloud "${cloud}": ${error.message}`, {
      advice: 'its policy dataframes:add requires the role admin, unless the operator has changed it',
      cause: error,
    });
  }
  if (error.kind === 'notFound' && error.status === 404) {
    return new CommandError(`CloudKitty does not serve data frames: ${error.message}`, {
      advice:
        'CloudKitty must run at this address with storage version 2 ([storage] version = 2); with version 1 it does not serve /v2',
      cause: error,
    });
  }
  return error;
}
