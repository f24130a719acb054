import {
  COMPLETE_ROTATION_ANNOTATION,
  REVOKE_KUBECONFIGS_ANNOTATION,
  ROTATE_CREDENTIALS_ANNOTATION,
} from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { CommandError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { requestTimeAfter } from '../command/request-time.ts';
import { kubeconfigsRevoked, rotationReached } from '../progress/credentials-goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { requestChange } from './request-change.ts';

/** Invalidates all kubeconfigs issued so far. */
export async function revokeCredentials(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: WaitOptions & { readonly dryRun?: boolean },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const before = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const { metadata, status } = before;
    const requestedAt = metadata.annotations?.[REVOKE_KUBECONFIGS_ANNOTATION];
    const requested = requestTimeAfter([status?.credentials?.revocation?.requested, requestedAt], context.clock.now());
    const value = { metadata: { annotations: { [REVOKE_KUBECONFIGS_ANNOTATION]: requested } } };
    const words = 'revocation of kubeconfigs requested';
    const { dryRun } = options;
    const isRequested = await requestChange(context, connection, { kind: clusters, before, value, words, dryRun });
    const goal = kubeconfigsRevoked(name, requested);
    if (isRequested && options.wait) await waitFor(context, connection, name, goal, options.timeout);
  });
}

/** Starts a rotation of all CAs and keys of a cluster, or completes the current one. */
export async function rotateCredentials(
  context: CliContext,
  globals: GlobalOptions,
  name: string,
  options: Partial<WaitOptions> & {
    readonly timeout: number;
    readonly phase: 'prepare' | 'complete';
    readonly dryRun?: boolean;
  },
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const { client, namespace } = connection;
    const before = await client.resource(clusters).get(name, { namespace, signal: context.signal });
    const { metadata, status } = before;
    const { phase = 'Stable', rotation } = status?.credentials ?? {};
    const isComplete = options.phase === 'complete';
    if (isComplete && (phase === 'Stable' || rotation === undefined)) {
      throw new CommandError(`the credentials of cluster "${name}" are not being rotated`, {
        advice: `start a rotation: fairway cluster rotate-credentials ${name}`,
      });
    }
    if (!isComplete && phase !== 'Stable') {
      throw new CommandError(`the credentials of cluster "${name}" are already being rotated, and ${phase}`, {
        advice: `complete the rotation: fairway cluster rotate-credentials ${name} --phase complete`,
      });
    }
    const requestedAt = metadata.annotations?.[ROTATE_CREDENTIALS_ANNOTATION];
    const next = requestTimeAfter([rotation, requestedAt], context.clock.now());
    const requested = isComplete && rotation !== undefined ? rotation : next;
    const annotation = isComplete ? COMPLETE_ROTATION_ANNOTATION : ROTATE_CREDENTIALS_ANNOTATION;
    const value = { metadata: { annotations: { [annotation]: requested } } };
    const words = isComplete ? 'completion of the rotation requested' : 'rotation of credentials requested';
    const { dryRun } = options;
    const isRequested = await requestChange(context, connection, { kind: clusters, before, value, words, dryRun });
    const goal = rotationReached(name, requested, isComplete ? 'Stable' : 'Prepared');
    if (isRequested && options.wait) await waitFor(context, connection, name, goal, options.timeout);
  });
}
