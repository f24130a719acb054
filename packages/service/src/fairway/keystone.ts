import { readFileSync } from 'node:fs';
import { NO_KEYSTONE } from '@fairway/api/domain/keystone-access';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import type { KeystoneAccess } from '@fairway/gateway/server/keystone-access';
import { ClusterUsers } from '@fairway/identity/cluster-users';
import { KeystoneTokens } from '@fairway/identity/keystone-tokens';
import { CLEANUP_KEY, type ProjectCleanupOptions, projectCleanup } from '@fairway/identity/project-cleanup';
import type { ProjectReader } from '@fairway/identity/project-list';
import { ProjectNamespaces, type ProjectNamespacesOptions } from '@fairway/identity/project-namespaces';
import type { KeystoneSettings } from '@fairway/identity/settings';
import { mayValidate } from '@fairway/identity/validation-rights';
import type { InformerSet } from '@fairway/kube/client/informer-set';
import { Controller, type ControllerOptions } from '@fairway/kube/controller/controller';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { Session } from '@fairway/openstack/auth/session';
import type { Cloud } from '@fairway/openstack/cloud';
import type { CloudConfig } from '@fairway/openstack/config/cloud-config';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { Budget, DEFAULT_BUDGET } from '@fairway/openstack/http/budget';
import { HttpClient } from '@fairway/openstack/http/http-client';
import { openTransport } from '@fairway/openstack/http/open-transport';
import { keystoneSignIn } from '@fairway/openstack/sign-in/keystone-sign-in';
import { usageError } from '../command-error.ts';
import { type CloudOpening, openCloud } from '../up/clouds.ts';

/** Why token webhooks don't work if each control plane runs in its own process, which outlives Fairway. */
const TOKEN_REVIEW_UNSUPPORTED =
  'simulated control planes of several replicas do not support token webhooks: remove it, or have the operator run Fairway with --control-plane process';

/** Keystone as Fairway uses it, with its own login. */
export interface OpenKeystone extends KeystoneAccess {
  readonly projects: readonly ProjectReader[];
  close(): Promise<void>;
}

/** Throws a usage error if clouds.yaml has no such entry. The result of the login is logged but not awaited. */
export function openKeystone(
  settings: KeystoneSettings,
  cloudsYaml: CloudsYaml,
  opening: CloudOpening,
  api: Pick<ProjectNamespacesOptions, 'reader' | 'client'>,
): OpenKeystone {
  const { cloud: name } = settings;
  if (!cloudsYaml.names.includes(name)) {
    throw usageError(
      `clouds.yaml has no cloud "${name}" for Keystone users, only: ${cloudsYaml.names.join(', ') || 'none'}`,
      'see docs/operators/keystone.md for the required user',
    );
  }
  const cloud = openCloud(cloudsYaml, name, opening);
  const { identity, session } = cloud.client();
  const { clock, log } = opening;
  void warnAboutRights(session, name, log);
  const tokens = new KeystoneTokens({ identity, clock, log });
  const { http, transport } = openSignIn(cloud.config, opening);
  const signInService = keystoneSignIn(http, cloud.config.authUrl);
  return {
    settings,
    tokens,
    namespaces: new ProjectNamespaces({ settings, ...api, clock }),
    signInService: {
      ...signInService,
      async revoke(token) {
        await signInService.revoke(token);
        tokens.forget(token);
      },
    },
    projects: [identity, ...systemReaderToken(cloud)],
    async close() {
      tokens.close();
      await transport.close();
      await cloud.close();
    },
  };
}

/** The number of connections, and of concurrent calls. */
const SIGN_IN_CONNECTIONS = 16;
/** Short, because a user is waiting. */
const SIGN_IN_TIMEOUTS = { attemptMs: 20_000, totalMs: 45_000 };

/**
 * Separate connections and a separate budget: users who are signing in neither slow down Fairway's own calls nor wait
 * for them.
 */
function openSignIn({ name, tls }: CloudConfig, { clock, random, metrics, userAgent }: CloudOpening) {
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  const transport = openTransport(tls, { readFile, connections: SIGN_IN_CONNECTIONS });
  const budget = new Budget(clock, DEFAULT_BUDGET);
  const http = new HttpClient({
    cloud: name,
    transport,
    clock,
    random,
    budget,
    metrics,
    userAgent,
    timeouts: SIGN_IN_TIMEOUTS,
  });
  return { http, transport };
}

async function warnAboutRights(session: Session, cloud: string, log: Logger): Promise<void> {
  try {
    const { token } = await session.token();
    if (mayValidate(token)) return;
    const roles = token.roles.map(({ name }) => name);
    log.error(
      { cloud, roles },
      'the user of keystone.cloud lacks permission to validate tokens: it requires the role service',
    );
  } catch (error) {
    log.warn({ err: error, cloud }, 'Keystone rejects the credential of keystone.cloud');
  }
}

/** The `service` role may not list projects, but a system-wide reader with the same password may. */
export function systemReaderToken(cloud: Cloud): ProjectReader[] {
  const { credential } = cloud.config;
  return credential.kind === 'password' ? [cloud.client({ ...credential, scope: { kind: 'system' } }).identity] : [];
}

/** Keystone users for clusters that enable them, or the reason why they are unavailable. */
export function usersOfClusters(
  keystone: Pick<OpenKeystone, 'tokens'> | undefined,
  { reviewsTokens }: Pick<ControlPlaneRuntime, 'reviewsTokens'>,
  clock: Clock,
): ClusterUsers | { readonly problem: string } {
  if (keystone === undefined) return { problem: NO_KEYSTONE };
  return reviewsTokens ? new ClusterUsers({ tokens: keystone.tokens, clock }) : { problem: TOKEN_REVIEW_UNSUPPORTED };
}

/** Deletes the Keystone resources of deleted projects. */
export function keystoneCleanup(
  options: ProjectCleanupOptions,
  informers: InformerSet,
  controller: Pick<ControllerOptions, 'owner' | 'random' | 'metrics'>,
): Controller {
  const { clock, log } = options;
  return new Controller({
    name: 'keystone-projects',
    reconcile: projectCleanup(options),
    clock,
    log,
    ...controller,
  }).watch(informers.informer(Namespaces), () => [CLEANUP_KEY], { isRelevant: () => false });
}
