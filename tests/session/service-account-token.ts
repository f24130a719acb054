import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';

interface TokenRequest extends KubeObject {
  readonly spec: { readonly expirationSeconds: number };
  readonly status?: { readonly token: string };
}

/** A token for a service account, like one from `kubectl create token`. Throws an Error if the response has none. */
export async function serviceAccountToken(
  client: KubeClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  expirationSeconds: number,
): Promise<string> {
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds },
  };
  const { status } = await client.resource(ServiceAccounts).createSubresource(name, 'token', request, { namespace });
  if (status === undefined) throw new Error('the response to a TokenRequest has no token');
  return status.token;
}
