import { usageError } from '@fairway/service/command-error';
import { z } from 'zod';

/** The only supported version; kubectl has supported it since 1.22. */
export const EXEC_API_VERSION = 'client.authentication.k8s.io/v1';

const ExecInfo = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  spec: z.object({ interactive: z.boolean() }),
});

/** What kubectl passes to a credential plugin. */
export interface ExecRequest {
  /** Whether standard input is available for prompts. */
  readonly isInteractive: boolean;
}

/** Reads KUBERNETES_EXEC_INFO; undefined if it is not set, as when a person runs the command. Throws a CommandError. */
export function execRequestOf(env: Readonly<Record<string, string | undefined>>): ExecRequest | undefined {
  const text = env['KUBERNETES_EXEC_INFO'];
  if (text === undefined || text === '') return undefined;
  const { data } = ExecInfo.safeParse(parseRequest(text));
  if (data === undefined) throw usageError('KUBERNETES_EXEC_INFO is not an ExecCredential', 'unset it, or run kubectl');
  if (data.apiVersion !== EXEC_API_VERSION) {
    throw usageError(
      `the kubeconfig requests a credential of ${data.apiVersion}`,
      `set apiVersion in the exec section of the user to ${EXEC_API_VERSION}`,
    );
  }
  return { isInteractive: data.spec.interactive };
}

function parseRequest(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a plugin writes to standard output. */
export function renderExecCredential(token: string, expiresAtMs: number, isInteractive: boolean): string {
  const expirationTimestamp = new Date(expiresAtMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const credential = {
    apiVersion: EXEC_API_VERSION,
    kind: 'ExecCredential',
    spec: { interactive: isInteractive },
    status: { expirationTimestamp, token },
  };
  return `${JSON.stringify(credential)}\n`;
}
