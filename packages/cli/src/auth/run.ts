import { isAccepted, revoke } from '@fairway/openstack/auth/own-token';
import type { SignInConfig } from '@fairway/openstack/sign-in/sign-in';
import { signInWith } from '@fairway/openstack/sign-in/sign-in-flow';
import type { CliContext } from '../command/context.ts';
import { askerOf, type ProcessRef, processRef } from './asker.ts';
import { type CloudChoice, chosenSignIn, openKeystone } from './cloud-access.ts';
import { execRequestOf, renderExecCredential } from './exec-info.ts';
import { keptSignIn } from './kept-sign-in.ts';
import { signInKey } from './sign-in-key.ts';
import { terminalPerson } from './terminal-person.ts';
import { cacheFolder, type KeptToken, TokenCache } from './token-cache.ts';

/** `fairway auth token`: a credential plugin of kubectl. */
export async function printToken(context: CliContext, choice: CloudChoice): Promise<void> {
  const request = execRequestOf(context.env);
  const isInteractive = request?.isInteractive ?? true;
  const asker = askerOf(context.env, process.ppid);
  const kept = await signedIn(context, chosenSignIn(context, choice), { isInteractive, asker });
  context.stdout.write(renderExecCredential(kept.token, kept.renewAtMs, isInteractive));
}

/** `fairway auth login`: signs in for the runs of kubectl that follow, in which nobody can be asked. */
export async function logIn(context: CliContext, choice: CloudChoice): Promise<void> {
  const config = chosenSignIn(context, choice);
  await forget(context, config);
  const { user, project, renewAtMs } = await signedIn(context, config, { isInteractive: true, asker: undefined });
  const until = new Date(renewAtMs).toISOString();
  context.stderr.write(`Signed in at cloud ${config.cloud} as ${user} in project ${project}, until ${until}\n`);
}

/** `fairway auth logout`: ends the tokens that are kept, of one entry of clouds.yaml or of all. */
export async function logOut(context: CliContext, choice: CloudChoice & { readonly all?: boolean }): Promise<void> {
  if (!choice.all) {
    const config = chosenSignIn(context, choice);
    const wasKept = await forget(context, config);
    const said = wasKept ? 'Signed out of' : 'Not signed in at';
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
  const { http, transport } = openKeystone(config, clock);
  const { authUrl, cloud } = config;
  const self = processRef(process.pid);
  try {
    return await keptSignIn({
      cache,
      key: signInKey(config),
      cloud,
      authUrl,
      clock,
      signal,
      self,
      asker: asker ?? self,
      signIn: () => {
        const person = terminalPerson(context, isInteractive);
        return signInWith(config.signIn, { http, transport, authUrl, person, clock, signal });
      },
      isAccepted: (token) => isAccepted(http, authUrl, token),
      onWait: ({ pid }) => {
        if (stderr.isTerminal) stderr.write(`waiting for the sign-in of process ${pid}\n`);
      },
    });
  } finally {
    await transport.close();
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

/** By the entry that the token came from; of one that is not there any more, only the file goes. */
async function endTokenOf(context: CliContext, kept: KeptToken): Promise<void> {
  try {
    await endToken(context, chosenSignIn(context, { cloud: kept.cloud }), kept);
  } catch (error) {
    context.stderr.write(`warning: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

async function endToken(context: CliContext, config: SignInConfig, { authUrl, token }: KeptToken): Promise<void> {
  const { http, transport } = openKeystone(config, context.clock);
  try {
    await revoke(http, authUrl, token);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    context.stderr.write(`warning: the token is no longer kept, but Keystone did not end it: ${why}\n`);
  } finally {
    await transport.close();
  }
}
