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
  if (error instanceof TransportError) return { ...explainUnreachable(error), exitCode: ExitCode.Unreachable };
  if (error instanceof KubeconfigError || error instanceof CloudConfigError) {
    const advice = error instanceof KubeconfigError ? kubeconfigAdvice(error.message) : undefined;
    return { message: error.message, advice, exitCode: ExitCode.Usage };
  }
  if (error instanceof SignInError) return { message: error.message, advice: error.advice, exitCode: ExitCode.Failed };
  if (error instanceof OpenStackError) {
    const isUnreachable = error.status === undefined && error.kind !== 'notFound' && error.kind !== 'forbidden';
    return {
      message: error.message,
      advice: undefined,
      exitCode: isUnreachable ? ExitCode.Unreachable : ExitCode.Failed,
    };
  }
  const message = error instanceof Error ? error.message || error.name : String(error);
  return { message, advice: undefined, exitCode: ExitCode.Failed };
}

function kubeconfigAdvice(message: string): string {
  if (message.startsWith('no kubeconfig at')) {
    return 'start Fairway with "fairway up", or name a kubeconfig with --kubeconfig';
  }
  if (message.includes('has no context')) return 'choose one of these with --context, or use another kubeconfig';
  return 'correct it, or name another kubeconfig with --kubeconfig or KUBECONFIG';
}

function explainApiError(error: ApiError): Explanation {
  const base = { message: error.message, exitCode: ExitCode.Failed };
  if (error.code === 401) {
    return {
      ...base,
      message: 'the server does not accept the credential of the kubeconfig (401 Unauthorized)',
      advice:
        'it may have expired: "fairway up" renews its own kubeconfig when it starts; OpenStack users sign in with "fairway auth login"; otherwise request a new kubeconfig',
    };
  }
  if (isUnknownPath(error)) {
    return {
      ...base,
      message: "the server does not serve Fairway's kinds (404 at /apis/fairway.dev)",
      advice:
        'the kubeconfig points to another cluster: choose Fairway\'s own with --kubeconfig or --context, or prepare this cluster with "fairway install"',
    };
  }
  if (error.code === 404) return { ...base, advice: ADVICE_BY_RESOURCE.get(error.subject?.resource ?? '') };
  return { ...base, advice: error.message.includes(FORBIDDEN_MARK) ? ROLE_ADVICE : undefined };
}

/** Occurs in RBAC's message. Admission has its own messages, with advice. */
const FORBIDDEN_MARK = ' is forbidden: User "';
const ROLE_ADVICE =
  'request a role in the namespace (fairway-reader can read, fairway-member can change), or choose a namespace where you have one with -n';

const listed = (command: string) => `"${command}" lists those in this namespace; choose another namespace with -n`;

/** Advice for an object that does not exist, by the plural of its kind. */
const ADVICE_BY_RESOURCE: ReadonlyMap<string, string> = new Map([
  ['clusters', listed('fairway cluster list')],
  ['nodepools', listed('fairway nodepool list')],
  ['machines', listed('fairway machine list')],
  ['cloudcredentials', listed('fairway credential list')],
  ['plans', '"fairway plan list" lists the available plans'],
  ['kubernetesreleases', '"fairway versions" lists the available versions'],
  [
    'namespaces',
    'choose an existing one with -n; the namespace of an OpenStack project is created when one of its users first signs in',
  ],
]);

/** The server responds with 404 to an unknown path, without naming an object. */
function isUnknownPath({ code, subject }: ApiError): boolean {
  return code === 404 && subject?.name === undefined;
}

/** Messages for failed connections, by socket error code. */
function explainUnreachable(error: TransportError): { message: string; advice: string | undefined } {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  const advice = ADVICE_BY_CODE.get(cause?.code ?? '');
  return { message: error.message, advice };
}

const UNTRUSTED_ADVICE = 'the kubeconfig has the CA of another server: did "fairway up" write it?';

const ADVICE_BY_CODE: ReadonlyMap<string, string> = new Map([
  [
    'ECONNREFUSED',
    'nothing listens there: start Fairway with "fairway up", or choose the kubeconfig of a running Fairway with --kubeconfig',
  ],
  ['ENOTFOUND', 'the server name does not exist: check "server" in the kubeconfig'],
  ['EAI_AGAIN', 'the name of the server cannot be resolved: check the network connection'],
  ['ETIMEDOUT', 'the server does not respond: check for a firewall in between'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED_ADVICE],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNTRUSTED_ADVICE],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNTRUSTED_ADVICE],
  ['CERT_SIGNATURE_FAILURE', UNTRUSTED_ADVICE],
  ['CERT_HAS_EXPIRED', 'the certificate of the server has expired: restart it'],
]);
