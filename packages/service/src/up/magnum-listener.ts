import type { ServerLimits } from '@fairway/apiserver/server/limits';
import type { Clock } from '@fairway/base/clock';
import { every } from '@fairway/base/every';
import type { Logger } from '@fairway/base/log';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import type { MagnumApi } from '@fairway/magnum/magnum-api';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { usageError } from '../command-error.ts';
import type { EmbeddedEngine } from '../fairway/embedded-engine.ts';
import type { Fairway } from '../fairway/fairway.ts';
import { openMagnum } from '../magnum/open-magnum.ts';
import { type CertificateFiles, OwnCertificate } from '../serve/own-certificate.ts';
import { certificateNames, type ServerNames } from '../serve/server-address.ts';
import { openCloud } from './clouds.ts';
import type { Home } from './home.ts';
import { CERTIFICATE_RENEWAL_MS, type ServerPki, serverTls } from './server-pki.ts';

export interface MagnumListenerOptions {
  readonly home: Home;
  readonly pki: ServerPki;
  readonly names: ServerNames;
  /** The operator's own certificate. */
  readonly certificate: CertificateFiles | undefined;
  readonly cloudsYaml: CloudsYaml;
  /** Whose user trusts are given to. */
  readonly cloudName: string;
  readonly limits: Partial<ServerLimits> | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Serves Magnum's API beside Fairway's own, with certificates of the same authority, and writes that one for clients. */
export async function openMagnumListener(
  { engine, keystone }: Pick<Fairway<EmbeddedEngine>, 'engine' | 'keystone'>,
  options: MagnumListenerOptions,
): Promise<Pick<MagnumApi, 'url' | 'close'>> {
  const { home, pki, names, certificate, cloudsYaml, cloudName, limits, clock, random, log } = options;
  if (keystone === undefined)
    throw usageError("Magnum's API lets users of Keystone in", 'name its cloud with --keystone');
  await using opening = new AsyncDisposableStack();
  const cloud = openCloud(cloudsYaml, cloudName, { clock, random, log });
  opening.defer(() => cloud.close());
  const own = certificate && new OwnCertificate(certificate, { clock, log });
  opening.defer(() => own?.close());
  const tls = () => serverTls(pki, certificateNames(names), clock);
  const { client, reader, server } = engine;
  const magnum = await openMagnum({
    keystone,
    client,
    reader,
    clientOf: (user, { peer }) =>
      new KubeClient(from(peer, server.transport(user)), { userAgent: 'fairway-magnum', clock }),
    cloud,
    names,
    tls: await tls(),
    certificateFor: own && ((name) => own.contextFor(name)),
    limits,
    clock,
    random,
    log,
  });
  opening.defer(() => magnum.close());
  await home.replace(home.apiAuthority, own?.authority ?? pki.authority.certificatePem);
  opening.defer(every(CERTIFICATE_RENEWAL_MS, clock, async () => magnum.setTls(await tls())));
  const running = opening.move();
  return { url: magnum.url, close: () => running.disposeAsync() };
}

/** Requests of a client at the address, which the audit log has. */
function from(peer: string, transport: Transport): Transport {
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, 'x-forwarded-for': peer } }),
    close: () => transport.close(),
  };
}
