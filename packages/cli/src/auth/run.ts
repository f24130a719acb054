import type { Clock } from '@fairway/base/clock';
import type { IssuedToken } from '@fairway/openstack/auth/token-source';
import type { SignInConfig } from '@fairway/openstack/sign-in/sign-in';
import { CommandError } from '@fairway/service/command-error';
import type { CliContext } from '../command/context.ts';
import { localTime } from '../output/local-time.ts';
import { printable } from '../output/printable.ts';
import { cachedSignIn } from './cached-sign-in.ts';
import { execRequestOf, renderExecCredential } from './exec-info.ts';
import type { KeystoneAccess } from './keystone-access.ts';
import { type ProcessRef, processRef, requesterOf } from './process-ref.ts';
import { signInKey } from './sign-in-key.ts';
import { type CloudSelection, signInOptions } from './sign-in-options.ts';
import { type CachedToken, cacheFolder, TokenCache } from './token-cache.ts';

/** `fairway auth token`: a credential plugin for kubectl. */
export async function printToken(context: CliContext, choice: CloudSelection): Promise<void> {
  const request = execRequestOf(context.env);
  const isInteractive = request?.isInteractive ?? true;
  const requester = requesterOf(context.env, process.ppid);
  const cached = await obtainToken(context, signInOptions(context, choice), { isInteractive, requester });
  context.stdout.write(renderExecCredential(cached.token, cached.renewAtMs, isInteractive));
}

/** `fairway auth login`: signs in for later runs of kubectl, which cannot prompt anybody. */
export async function logIn(context: CliContext, choice: CloudSelection): Promise<void> {
  const config = signInOptions(context, choice);
  await forgetToken(context, config);
  const { user, project, renewAtMs } = await obtainToken(context, config, {
    isInteractive: true,
    requester: undefined,
  });
  const until = localTime(renewAtMs);
  const session = `as ${user} in project ${project}, until ${until}`;
  context.stderr.write(printable(`Signed in to cloud ${config.cloud} ${session}\n`));
}

/** `fairway auth logout`: revokes the cached tokens of one or all entries in clouds.yaml. */
export async function logOut(context: CliContext, choice: CloudSelection & { readonly all?: boolean }): Promise<void> {
  if (!choice.all) {
    const config = signInOptions(context, choice);
    const wasSignedIn = await forgetToken(context, config);
    const outcome = wasSignedIn ? 'Signed out from' : 'Not signed in to';
    context.stderr.write(`${outcome} cloud ${config.cloud}\n`);
    return;
  }
  const cache = new TokenCache(cacheFolder(context.env));
  const keys = await cache.keys();
  for (const key of keys) {
    const cached = await cache.read(key);
    await cache.remove(key);
    if (cached !== undefined && cached.expiresAtMs > context.clock.now()) await revokeCachedToken(context, cached);
  }
  context.stderr.write(`Signed out: ${keys.length} ${keys.length === 1 ? 'token' : 'tokens'}\n`);
}

/** Returns the cached token or a new one. */
export async function obtainToken(
  context: CliContext,
  config: SignInConfig,
  { isInteractive, requester }: { readonly isInteractive: boolean; readonly requester: ProcessRef | undefined },
): Promise<CachedToken> {
  const { clock, signal, stderr } = context;
  const cache = new TokenCache(cacheFolder(context.env));
  await cache.open();
  const self = processRef(process.pid);
  return cachedSignIn({
    cache,
    key: signInKey(config),
    cloud: config.cloud,
    authUrl: config.authUrl,
    clock,
    signal,
    self,
    requester: requester ?? self,
    signIn: () => signInAgain(context, config, isInteractive),
    isAccepted: (token) => withKeystone(config, clock, (keystone) => keystone.isAccepted(token)),
    onWait: ({ pid }) => {
      if (stderr.isTerminal) stderr.write(`waiting for process ${pid} to sign in\n`);
    },
  });
}

/** Loads the sign-in code on demand, because most runs find a token. */
async function signInAgain(context: CliContext, config: SignInConfig, isInteractive: boolean): Promise<IssuedToken> {
  const { clock, signal } = context;
  const { signInWith } = await import('@fairway/openstack/sign-in/sign-in-flow');
  const { terminalPerson } = await import('./terminal-person.ts');
  const person = terminalPerson(context, isInteractive);
  return withKeystone(config, clock, ({ http, transport }) =>
    signInWith(config.signIn, { http, transport, authUrl: config.authUrl, person, clock, signal }),
  ).catch(async (error: unknown) => {
    const { isOpenStackError } = await import('@fairway/openstack/http/openstack-error');
    if (!isOpenStackError(error, 'unauthorized')) throw error;
    const advice = `check user, secret and project of cloud ${config.cloud} in clouds.yaml, secure.yaml or the OS_ variables`;
    throw new CommandError(error.message, { advice, cause: error });
  });
}

async function withKeystone<T>(
  config: SignInConfig,
  clock: Clock,
  use: (keystone: KeystoneAccess) => Promise<T>,
): Promise<T> {
  const { openKeystone } = await import('./keystone-access.ts');
  const keystone = openKeystone(config, clock);
  try {
    return await use(keystone);
  } finally {
    await keystone.transport.close();
  }
}

/** Removes and revokes the cached token; returns whether there was one. */
async function forgetToken(context: CliContext, config: SignInConfig): Promise<boolean> {
  const cache = new TokenCache(cacheFolder(context.env));
  const key = signInKey(config);
  const cached = await cache.read(key);
  await cache.remove(key);
  if (cached === undefined) return false;
  await revokeToken(context, config, cached);
  return true;
}

/**
 * Uses the entry that the token came from, if it still belongs to the same Keystone: a different Keystone must not see
 * the token.
 */
async function revokeCachedToken(context: CliContext, cached: CachedToken): Promise<void> {
  const { cloud, authUrl } = cached;
  const left = `warning: a token of cloud ${cloud} is no longer stored, but stays valid at ${authUrl} until it expires`;
  try {
    const config = signInOptions(context, { cloud });
    if (config.authUrl === authUrl) await revokeToken(context, config, cached);
    else context.stderr.write(`${left}: the entry of this name belongs to another Keystone\n`);
  } catch (error) {
    context.stderr.write(printable(`${left}: ${error instanceof Error ? error.message : String(error)}\n`));
  }
}

async function revokeToken({ clock, stderr }: CliContext, config: SignInConfig, { token }: CachedToken): Promise<void> {
  try {
    await withKeystone(config, clock, (keystone) => keystone.revoke(token));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    stderr.write(printable(`warning: the token is no longer stored, but Keystone did not revoke it: ${reason}\n`));
  }
}
