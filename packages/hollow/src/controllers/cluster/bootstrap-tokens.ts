import { createHmac } from 'node:crypto';
import { BOOTSTRAP_TOKEN_NAMESPACE, BOOTSTRAP_TOKEN_TYPE } from '@fairway/apiserver/auth/bootstrap-tokens';
import { Controller } from '@fairway/kube/controller/controller';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';

const CLUSTER_INFO = 'cluster-info';
const PUBLIC_NAMESPACE = 'kube-public';
const SIGNATURE_PREFIX = 'jws-kubeconfig-';

/** Deletes bootstrap tokens that have expired (pkg/controller/bootstrap/tokencleaner.go). */
export function tokenCleaner(context: ControllerContext): Controller {
  const { client, clock, random, log } = context;
  const secrets = bootstrapSecrets(context);
  const controller = new Controller({
    name: 'token-cleaner',
    clock,
    random,
    log,
    async reconcile(key) {
      const secret = secrets.get(key);
      const expiresMs = secret === undefined ? undefined : expiryMs(secret);
      if (secret === undefined || expiresMs === undefined) return {};
      const leftMs = expiresMs - clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      const { name = '', namespace = '', uid } = secret.metadata;
      try {
        await client.resource(Secrets).delete(name, { namespace, ...(uid !== undefined && { uid }) });
      } catch (error) {
        if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
      }
      return {};
    },
  });

  return controller.watch(secrets);
}

/** Signs cluster-info with each token, so a joining node can verify it (bootstrapsigner.go). */
export function bootstrapSigner(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const secrets = bootstrapSecrets(context);
  const infos = informers.informer(ConfigMaps, {
    namespace: PUBLIC_NAMESPACE,
    fieldSelector: `metadata.name=${CLUSTER_INFO}`,
  });
  const controller = new Controller({
    name: 'bootstrap-signer',
    clock,
    random,
    log,
    async reconcile() {
      const info = infos.get(`${PUBLIC_NAMESPACE}/${CLUSTER_INFO}`);
      const content = info?.data?.['kubeconfig'];
      if (info === undefined || content === undefined) return {};
      const kept = Object.entries(info.data ?? {}).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX));
      const signatures = secrets.list().flatMap((secret) => {
        const { id, token, isSigning } = tokenOf(secret);
        return isSigning ? [[`${SIGNATURE_PREFIX}${id}`, detachedSignature(content, id, token)]] : [];
      });
      const data = Object.fromEntries([...kept, ...signatures]) as Record<string, string>;
      if (!jsonEqual(data, info.data)) await client.resource(ConfigMaps).update({ ...info, data });
      return {};
    },
  });
  return controller.watch(infos, () => [CLUSTER_INFO]).watch(secrets, () => [CLUSTER_INFO]);
}

function bootstrapSecrets({ informers }: ControllerContext) {
  return informers.informer(Secrets, {
    namespace: BOOTSTRAP_TOKEN_NAMESPACE,
    fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}`,
  });
}

function expiryMs(secret: Secret): number | undefined {
  const expiresMs = Date.parse(field(secret, 'expiration'));
  return Number.isNaN(expiresMs) ? undefined : expiresMs;
}

function tokenOf(secret: Secret): { id: string; token: string; isSigning: boolean } {
  const id = field(secret, 'token-id');
  const token = field(secret, 'token-secret');
  const isSigning = field(secret, 'usage-bootstrap-signing') === 'true' && id !== '' && token !== '';
  return { id, token, isSigning };
}

function field({ data }: Secret, name: string): string {
  return Buffer.from(data?.[name] ?? '', 'base64').toString();
}

/** A JWS (HS256) with a detached payload: `header..signature`. */
function detachedSignature(content: string, id: string, token: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
  const payload = Buffer.from(content).toString('base64url');
  const signature = createHmac('sha256', token).update(`${header}.${payload}`).digest('base64url');
  return `${header}..${signature}`;
}
