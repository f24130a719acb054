import type { Clock } from '@fairway/base/clock';
import type { IssuedToken } from '@fairway/openstack/auth/token-source';
import type { SignInConfig } from '@fairway/openstack/sign-in/sign-in';
import { CommandError } from '@fairway/service/command-error';
import type { CliContext } from '../command/context.ts';
import { localTime } from '../output/local-time.ts';
import { printable } from '../output/printable.ts';
import { askerOf, type ProcessRef, processRef } from './asker.ts';
import { execRequestOf, renderExecCredential } from './exec-info.ts';
import { keptSignIn } from './kept-sign-in.ts';
import type { KeystoneAccess } from './keystone-access.ts';
import { signInKey } from './sign-in-key.ts';
import { type CloudChoice, signInOptions } from './sign-in-options.ts';
import { cacheFolder, type KeptToken, TokenCache } from './token-cache.ts';

/** `fairway auth token`: a credential plugin of kubectl. */
export async function printToken(context: CliContext, choice: CloudChoice): Promise<void> {
  const request = execRequestOf(context.env);
  const isInteractive = request?.isInteractive ?? true;
  const asker = askerOf(context.env, process.ppid);
  const kept = await signedIn(context, signInOptions(context, choice), { isInteractive, asker });
  context.stdout.write(renderExecCredential(kept.token, kept.renewAtMs, isInteractive));
}

/** `fairway auth login`: signs in for the runs of kubectl that follow, in which nobody can be asked. */
export async function logIn(context: CliContext, choice: CloudChoice): Promise<void> {
  const config = signInOptions(context, choice);
  await forget(context, config);
  const { user, project, renewAtMs } = await signedIn(context, config, { isInteractive: true, asker: undefined });
  const until = localTime(renewAtMs);
  const who = `as ${user} in project ${project}, until ${until}`;
  context.stderr.write(printable(`Signed in to cloud ${config.cloud} ${who}\n`));
}

/** `fairway auth logout`: ends the tokens that are kept, of one entry of clouds.yaml or of all. */
export async function logOut(context: CliContext, choice: CloudChoice & { readonly all?: boolean }): Promise<void> {
  if (!choice.all) {
    const config = signInOptions(context, choice);
    const wasKept = await forget(context, config);
    const said = wasKept ? 'Signed out from' : 'Not signed in to';
    context.stderr.write(`${said} cloud ${config.cloud}\n`);
    return;
  }
  const cache = new TokenCache(cacheFolder(context.env));
  const keys = await cache.keys();
  for (const key of keys) {
    const kept = await cache.read(key);
    await cache.remove(key);
    if (kept !== undefined && kept.expiresAtMs > context.clock.now()) await endTokenOf(context, kept);
  }
  context.stderr.write(`Signed out: ${keys.length} ${keys.length === 1 ? 'token' : 'tokens'}\n`);
}

/** The token that is kept, or a new one. */
export async function signedIn(
  context: CliContext,
  config: SignInConfig,
  { isInteractive, asker }: { readonly isInteractive: boolean; readonly asker: ProcessRef | undefined },
): Promise<KeptToken> {
  const { clock, signal, stderr } = context;
  const cache = new TokenCache(cacheFolder(context.env));
  await cache.open();
  const self = processRef(process.pid);
  return keptSignIn({
    cache,
    key: signInKey(config),
    cloud: config.cloud,
    authUrl: config.authUrl,
    clock,
    signal,
    self,
    asker: asker ?? self,
    signIn: () => signInAgain(context, config, isInteractive),
    isAccepted: (token) => withKeystone(config, clock, (keystone) => keystone.isAccepted(token)),
    onWait: ({ pid }) => {
      if (stderr.isTerminal) stderr.write(`waiting for process ${pid} to sign in\n`);
    },
  });
}

/** What signs in is loaded only then: most runs find a token. */
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

/** Whether there was a token. */
async function forget(context: CliContext, config: SignInConfig): Promise<boolean> {
  const cache = new TokenCache(cacheFolder(context.env));
  const key = signInKey(config);
  const kept = await cache.read(key);
  await cache.remove(key);
  if (kept === undefined) return false;
  await endToken(context, config, kept);
  return true;
}

/** By the entry that the token came from, if that is of the same Keystone still: others must not see it. */
async function endTokenOf(context: CliContext, kept: KeptToken): Promise<void> {
  const { cloud, authUrl } = kept;
  const left = `warning: a token of cloud ${cloud} is no longer stored, but stays valid at ${authUrl} until it expires`;
  try {
    const config = signInOptions(context, { cloud });
    if (config.authUrl === authUrl) await endToken(context, config, kept);
    else context.stderr.write(`${left}: the entry of this name belongs to another Keystone\n`);
  } catch (error) {
    context.stderr.write(printable(`${left}: ${error instanceof Error ? error.message : String(error)}\n`));
  }
}

async function endToken({ clock, stderr }: CliContext, config: SignInConfig, { token }: KeptToken): Promise<void> {
  try {
    await withKeystone(config, clock, (keystone) => keystone.revoke(token));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    stderr.write(printable(`warning: the token is no longer stored, but Keystone did not revoke it: ${why}\n`));
  }
}
