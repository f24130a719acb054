import { clusters } from '@fairway/api/kinds/cluster';
import { withConnection } from '../client/connect.ts';
import { confirm } from '../command/confirm.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { requestTimeAfter } from '../command/request-time.ts';
import { clusterAwake, clusterHibernated } from '../progress/hibernation-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { requestChange } from './request-change.ts';

interface HibernateOptions extends WaitOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function hibernate(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: HibernateOptions,
): Promise<void> {
  return request(context, globals, { name, enabled: true }, options);
}

/** Needs no confirmation, since waking a cluster does not interrupt anything. */
export function wake(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: Omit<HibernateOptions, 'yes'>,
): Promise<void> {
  return request(context, globals, { name, enabled: false }, { ...options, yes: true });
}

/** Includes the time, so it overrides an earlier schedule. */
async function request(
  context: CliContext,
  globals: GlobalOptions,
  { name, enabled }: { readonly name: string; readonly enabled: boolean },
  options: HibernateOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const before = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const { spec, status } = before;
    const times = [spec.hibernation?.requestedAt, status?.hibernation?.followed?.requestedAt];
    const requestedAt = requestTimeAfter(times, context.clock.now());
    const question = `Hibernate cluster "${name}"? All its nodes are deleted and its workloads stop until you wake it up.`;
    const { dryRun } = options;
    if (!dryRun) await confirm(context, { question, declinedMessage: 'nothing was changed' }, options);
    const value = { spec: { hibernation: { enabled, requestedAt } } };
    const words = `${enabled ? 'hibernation' : 'waking'} requested`;
    const isRequested = await requestChange(context, connection, { kind: clusters, before, value, words, dryRun });
    const goal = enabled ? clusterHibernated(name) : clusterAwake(name);
    if (isRequested && options.wait) await waitFor(context, connection, name, goal, options.timeout);
  });
}
