import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { Secrets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { ControllerContext } from '../context.ts';

export const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME_ANNOTATION = 'kubernetes.io/service-account.name';
const ACCOUNT_UID_ANNOTATION = 'kubernetes.io/service-account.uid';
/** Tokens in Secrets do not expire in Kubernetes; here they do, in the far future. */
const TOKEN_SECONDS = 2 ** 32 - 1;

/**
 * Populates Secrets of type service-account-token, and deletes those whose service account no longer exists
 * (serviceaccount/tokens_controller.go).
 */
export function tokenSecretController(context: ControllerContext): Controller {
  const { client, informers, reader, clock, random, log, caBundle } = context;
  const secrets = informers.informer(Secrets, { fieldSelector: `type=${TOKEN_SECRET_TYPE}` });
  const accounts = informers.informer(ServiceAccounts, { metadataOnly: true });
  const controller = new Controller({
    name: 'token-secrets',
    clock,
    random,
    log,
    async reconcile(key) {
      const secret = secrets.get(key);
      if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return {};
      const { name = '', namespace = '', uid = '', annotations = {} } = secret.metadata;
      const account = reader.get(ServiceAccounts, namespace, annotations[ACCOUNT_NAME_ANNOTATION] ?? '');
      const accountUid = account?.metadata.uid ?? '';
      const isForeign =
        annotations[ACCOUNT_UID_ANNOTATION] !== undefined && annotations[ACCOUNT_UID_ANNOTATION] !== accountUid;
      if (account === undefined || isForeign) {
        await removeSecret(namespace, name, uid);
        return {};
      }
      if (secret.data?.['token'] && annotations[ACCOUNT_UID_ANNOTATION] === accountUid) return {};
      const subject = { name: account.metadata.name ?? '', uid: accountUid };
      const token = await context.signToken(
        { namespace, serviceAccount: subject, secret: { name, uid } },
        TOKEN_SECONDS,
      );
      const encode = (text: string) => Buffer.from(text).toString('base64');
      await client.resource(Secrets).update({
        ...secret,
        metadata: { ...secret.metadata, annotations: { ...annotations, [ACCOUNT_UID_ANNOTATION]: accountUid } },
        data: { ...secret.data, token: encode(token), 'ca.crt': encode(caBundle), namespace: encode(namespace) },
      });
      return {};
    },
  });

  async function removeSecret(namespace: string, name: string, uid: string): Promise<void> {
    try {
      await client.resource(Secrets).delete(name, { namespace, uid });
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  return controller.watch(secrets).watch(accounts, ({ metadata }) =>
    secrets
      .list(metadata.namespace)
      .filter((secret) => secret.metadata.annotations?.[ACCOUNT_NAME_ANNOTATION] === metadata.name)
      .map(keyOf),
  );
}
