import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import type { EmbeddedEngine } from '../fairway/embedded-engine.ts';
import type { Fairway } from '../fairway/fairway.ts';
import { type MagnumListener, type ServeMagnumOptions, serveMagnum } from '../magnum/serve-magnum.ts';
import { certificateNames } from '../serve/server-address.ts';
import type { Home } from './home.ts';
import { CERTIFICATE_RENEWAL_MS, type ServerPki, serverTls } from './server-pki.ts';

export interface MagnumListenerOptions extends Omit<ServeMagnumOptions, 'clientOf' | 'tls' | 'renewalMs'> {
  readonly home: Home;
  readonly pki: ServerPki;
}

/** Serves Magnum's API alongside Fairway's own, with certificates from the same CA, and writes the CA for clients. */
export async function openMagnumListener(
  fairway: Pick<Fairway<EmbeddedEngine>, 'engine' | 'keystone'>,
  { home, pki, ...options }: MagnumListenerOptions,
): Promise<MagnumListener> {
  const { names, clock } = options;
  const { server } = fairway.engine;
  await using opening = new AsyncDisposableStack();
  const magnum = await serveMagnum(fairway, {
    ...options,
    clientOf: (user, { peer }, onWarning) =>
      new KubeClient(from(peer, server.transport(user)), { userAgent: 'fairway-magnum', clock, onWarning }),
    tls: () => serverTls(pki, certificateNames(names), clock),
    renewalMs: CERTIFICATE_RENEWAL_MS,
  });
  opening.defer(() => magnum.close());
  await home.replace(home.apiAuthority, magnum.ownAuthority ?? pki.authority.certificatePem);
  opening.move();
  return magnum;
}

/** Makes requests on behalf of a client at this address, which the audit log records. */
function from(peer: string, transport: Transport): Transport {
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, 'x-forwarded-for': peer } }),
    close: () => transport.close(),
  };
}
