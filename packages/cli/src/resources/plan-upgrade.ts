import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import {
  UPGRADE_PLAN_REQUEST_KIND,
  UPGRADE_PLAN_SUBRESOURCE,
  type UpgradeFinding,
  type UpgradePlanRequest,
  type UpgradePlanStatus,
  type UpgradeStep,
} from '@fairway/api/kinds/upgrade-plan-request';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { dump } from 'js-yaml';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import { printable } from '../output/printable.ts';
import { qualifiedName } from './kinds.ts';
import { chooseVersion } from './upgrade-cluster.ts';
import type { UpgradeStrategy } from './upgrade-strategy.ts';

interface PlanOptions {
  readonly to?: string;
  readonly strategy?: UpgradeStrategy;
  readonly output?: 'json' | 'yaml';
}

/** Prints what an upgrade would do. Exits with 1 if something blocks it, so a pipeline can check first. */
export async function planUpgrade(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: PlanOptions,
): Promise<void> {
  const { output } = options;
  const response = await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const to = options.to ?? (await selectPlan(options.strategy, context, connection, name));
    const request: UpgradePlanRequest = {
      apiVersion: API_VERSION,
      kind: UPGRADE_PLAN_REQUEST_KIND.kind,
      metadata: {},
      spec: to === undefined ? {} : { version: to },
    };
    const write = { namespace, signal: context.signal };
    return client.resource(clusters).createSubresource(name, UPGRADE_PLAN_SUBRESOURCE, request, write);
  });
  const { status } = response;
  if (status === undefined) throw new CommandError('the response has no plan');
  if (output === 'json') context.stdout.write(`${JSON.stringify(response, undefined, 4)}\n`);
  else if (output === 'yaml') context.stdout.write(dump(response, { lineWidth: -1, noRefs: true }));
  else context.stdout.write(printable(describePlan(qualifiedName(clusters, name), status)));
  if (status.findings.some(({ effect }) => effect === 'Blocks')) context.exitWith(ExitCode.Failed);
}

/** The plan must be for the version that the same command without --plan would choose. */
async function selectPlan(
  strategy: UpgradeStrategy | undefined,
  context: CliContext,
  connection: Connection,
  name: string,
): Promise<string | undefined> {
  if (strategy === undefined) return undefined;
  const chosen = await chooseVersion(context, connection, name, strategy);
  if ('nothing' in chosen) throw new CommandError(`${qualifiedName(clusters, name)} ${chosen.nothing}`);
  return chosen.version;
}

/** The human-readable plan. */
export function describePlan(name: string, status: UpgradePlanStatus): string {
  const { from, to, steps, estimate, quotas, addons = [], findings } = status;
  const versions = to === undefined ? `stays at ${from ?? 'its version'}` : `from ${from} to ${to}`;
  const lines = [`${name}: ${versions}`, ''];
  lines.push(...(steps.length === 0 ? ['Nothing to do.'] : steps.flatMap(describeStep)));
  if (estimate) lines.push('', `Estimated: ${estimate.message}.`);
  if (quotas !== undefined && quotas.length > 0) {
    const listed = quotas.map((quota) => `${quota.needed} of ${quota.left} ${quota.name}`);
    lines.push('', `Quota: the new nodes need ${listed.join(', ')} left.`);
  }
  if (addons.length > 0) lines.push('', 'Add-ons:', ...addons.map(({ message }) => `  - ${message}`));
  if (findings.length > 0) lines.push('', ...findings.flatMap(describe));
  else if (steps.length > 0) lines.push('', 'No blockers found.');
  return `${lines.join('\n')}\n`;
}

function describeStep({ order, type, pool, message, estimate }: UpgradeStep): string[] {
  const what = type === 'ControlPlane' ? '' : `pool ${pool}, `;
  return [`${order}. ${what}${message}`, ...(estimate ? [`   (${estimate.message})`] : [])];
}

function describe({ effect, type, pool, message, objects = [], more }: UpgradeFinding): string[] {
  const scopePrefix = pool === undefined || message.includes(`pool ${pool}`) ? '' : `pool ${pool}: `;
  return [
    `${effect.toUpperCase()} ${type}: ${scopePrefix}${message}`,
    ...objects.map((object) => `  - ${object}`),
    ...(more === undefined ? [] : [`  - and ${more} more`]),
  ];
}
