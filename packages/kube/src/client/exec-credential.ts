import { spawn } from 'node:child_process';
import type { Clock } from '@fairway/base/clock';
import { z } from 'zod';
import type { HttpsConnectionOptions } from './https-connections.ts';
import { KubeconfigError } from './kubeconfig.ts';

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** The exec section for a user in a kubeconfig. */
const ExecSection = z.looseObject({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).nullish(),
});
type ExecSection = z.infer<typeof ExecSection>;

const ExecCredential = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    expirationTimestamp: z.iso.datetime({ offset: true }).optional(),
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});
type CredentialStatus = z.infer<typeof ExecCredential>['status'];

/** Runs a program until the signal aborts; resolves with its output. Its standard error is passed through. */
export type RunProgram = (
  command: string,
  args: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly hasInput: boolean;
    readonly signal?: AbortSignal;
  },
) => Promise<string>;

export interface ExecContext {
  /** Name of the user in the kubeconfig, for messages. */
  readonly user: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly isTerminal: boolean;
  /** Passed to the plugin if the plugin requests it. */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly run?: RunProgram;
  readonly signal?: AbortSignal;
}

type Credentials = Pick<HttpsConnectionOptions, 'bearerToken' | 'clientCertificate' | 'renewCredentials'>;

/**
 * The credentials from a plugin
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins). They are kept
 * until they expire or the server returns 401. Rejects with a KubeconfigError.
 */
export async function execCredentials(rawSection: unknown, context: ExecContext): Promise<Credentials> {
  const section = parseSection(rawSection, context.user);
  let current = await runPlugin(section, context);
  let pending: Promise<void> | undefined;
  const renew = (): Promise<void> => {
    pending ??= runPlugin(section, context)
      .then((issued) => {
        current = issued;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
  const validCredential = async (): Promise<CredentialStatus> => {
    const { expirationTimestamp: end } = current;
    if (end !== undefined && Date.parse(end) <= context.clock.now()) await renew();
    return current;
  };
  const { token, clientCertificateData } = current;
  return {
    ...(token !== undefined && { bearerToken: async () => (await validCredential()).token ?? '' }),
    ...(clientCertificateData !== undefined && {
      clientCertificate: async () => {
        const { clientCertificateData: certificate = '', clientKeyData: privateKey = '' } = await validCredential();
        return { certificate, privateKey };
      },
    }),
    renewCredentials: renew,
  };
}

function parseSection(rawSection: unknown, user: string): ExecSection {
  const { data, error } = ExecSection.safeParse(rawSection);
  if (data === undefined) {
    throw new KubeconfigError(`user "${user}": exec is not valid: ${z.prettifyError(error)}`);
  }
  if (!API_VERSIONS.includes(data.apiVersion)) {
    throw new KubeconfigError(
      `user "${user}": exec: apiVersion ${data.apiVersion} is not one of ${API_VERSIONS.join(', ')}`,
    );
  }
  return data;
}

async function runPlugin(
  section: ExecSection,
  { user, env, isTerminal, cluster, run = runProgram, signal }: ExecContext,
): Promise<CredentialStatus> {
  const { apiVersion, command, interactiveMode } = section;
  if (interactiveMode === 'Always' && !isTerminal) {
    throw new KubeconfigError(
      `user "${user}": exec: ${command} needs a terminal because its interactiveMode is Always`,
    );
  }
  const isInteractive = interactiveMode !== 'Never' && isTerminal;
  const spec = { ...(section.provideClusterInfo && { cluster }), interactive: isInteractive };
  const pluginEnv = Object.fromEntries((section.env ?? []).map(({ name, value }) => [name, value]));
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
  let output: string;
  try {
    output = await run(command, section.args ?? [], {
      env: { ...env, ...pluginEnv, KUBERNETES_EXEC_INFO: info },
      hasInput: isInteractive,
      ...(signal && { signal }),
    });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const hint = isMissing && section.installHint ? `\n${section.installHint}` : '';
    const problem = isMissing ? 'is not found' : `failed: ${(error as Error).message}`;
    throw new KubeconfigError(`user "${user}": exec: ${command} ${problem}${hint}`, { cause: error });
  }
  const { data } = ExecCredential.safeParse(parseJson(output));
  if (data === undefined || data.apiVersion !== apiVersion) {
    throw new KubeconfigError(`user "${user}": exec: ${command} did not print an ExecCredential of ${apiVersion}`);
  }
  const { token, clientCertificateData, clientKeyData } = data.status;
  if ((clientCertificateData === undefined) !== (clientKeyData === undefined)) {
    throw new KubeconfigError(`user "${user}": exec: ${command} printed a certificate or a key without the other`);
  }
  if (token === undefined && clientCertificateData === undefined) {
    throw new KubeconfigError(`user "${user}": exec: ${command} printed neither a token nor a certificate`);
  }
  return data.status;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_OUTPUT_BYTES = 1024 * 1024;

const runProgram: RunProgram = (command, args, { env, hasInput, signal }) =>
  new Promise((resolve, reject) => {
    const stdio = [hasInput ? 'inherit' : 'ignore', 'pipe', 'inherit'] as const;
    const child = spawn(command, args, { env, stdio: [...stdio], ...(signal && { signal }) });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_OUTPUT_BYTES) return void chunks.push(chunk);
      reject(new Error('it printed more than 1 MiB'));
      child.kill('SIGKILL');
      // The plugin's child processes may keep the pipe open.
      child.stdout.destroy();
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new Error(signal === null ? `it ended with code ${code}` : `it ended by ${signal}`));
    });
  });
