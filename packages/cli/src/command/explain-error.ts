import { KubeconfigError } from '@fairway/kube/client/kubeconfig';
import { TransportError } from '@fairway/kube/client/transport';
import { ApiError } from '@fairway/kube/object/api-error';
import { CloudConfigError } from '@fairway/openstack/config/cloud-config';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { SignInError } from '@fairway/openstack/sign-in/person';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';

/** An error as shown to users. */
export interface Explanation {
  readonly message: string;
  readonly advice: string | undefined;
  readonly exitCode: ExitCode;
}

/** Maps an error to a one-line message, optional advice, and the exit code. */
export function explainError(error: unknown): Explanation {
  if (error instanceof CommandError) return { message: error.message, advice: error.advice, exitCode: error.exitCode };
  if (error instanceof ApiError) return explainApiError(error);
  if (error instanceof TransportError) return { ...explainSilence(error), exitCode: ExitCode.Unreachable };
  if (error instanceof KubeconfigError || error instanceof CloudConfigError) {
    const isMissing = error.message.startsWith('no kubeconfig at');
    const advice = isMissing ? 'start Fairway with "fairway up", or name a kubeconfig with --kubeconfig' : undefined;
    return { message: error.message, advice, exitCode: ExitCode.Usage };
  }
  if (error instanceof SignInError) return { message: error.message, advice: error.advice, exitCode: ExitCode.Failed };
  if (error instanceof OpenStackError) {
    const isSilent = error.status === undefined && error.kind !== 'notFound' && error.kind !== 'forbidden';
    return {
      message: error.message,
      advice: undefined,
      exitCode: isSilent ? ExitCode.Unreachable : ExitCode.Failed,
    };
  }
  const message = error instanceof Error ? error.message || error.name : String(error);
  return { message, advice: undefined, exitCode: ExitCode.Failed };
}

function explainApiError(error: ApiError): Explanation {
  const base = { message: error.message, exitCode: ExitCode.Failed };
  if (error.code === 401) {
    return {
      ...base,
      message: 'the server does not accept the credential of the kubeconfig (401 Unauthorized)',
      advice: 'it may have expired: "fairway up" renews its own kubeconfig when it starts; else ask for a new one',
    };
  }
  if (isUnknownPath(error)) {
    return {
      ...base,
      message: "the server does not serve Fairway's kinds (404 at /apis/fairway.dev)",
      advice:
        'the kubeconfig names another cluster: choose Fairway\'s own with --kubeconfig or --context, or make this one with "fairway install"',
    };
  }
  return { ...base, advice: undefined };
}

/** The server answers 404 for an unknown path without naming an object. */
function isUnknownPath({ code, subject }: ApiError): boolean {
  return code === 404 && subject?.name === undefined;
}

/** Messages for failed connections, by error code of the socket. */
function explainSilence(error: TransportError): { message: string; advice: string | undefined } {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  const advice = ADVICE_BY_CODE.get(cause?.code ?? '');
  return { message: error.message, advice };
}

const NOT_TRUSTED = 'the kubeconfig has the CA of another server: is it the one that "fairway up" prints?';

const ADVICE_BY_CODE: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there: start Fairway with "fairway up"'],
  ['ENOTFOUND', 'the server name does not exist: check "server" in the kubeconfig'],
  ['EAI_AGAIN', 'the name of the server cannot be resolved now: is there a network?'],
  ['ETIMEDOUT', 'the server does not respond: is there a firewall in between?'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', NOT_TRUSTED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_TRUSTED],
  ['CERT_SIGNATURE_FAILURE', NOT_TRUSTED],
  ['CERT_HAS_EXPIRED', 'the certificate of the server has expired: restart it'],
]);
