import type { ServerLimits } from '@fairway/apiserver/server/limits';
import type { TlsOptions } from '@fairway/apiserver/server/listener';
import type { Clock } from '@fairway/base/clock';
import { every } from '@fairway/base/every';
import type { Logger } from '@fairway/base/log';
import type { MagnumApi } from '@fairway/magnum/magnum-api';
import type { MagnumServices } from '@fairway/magnum/services';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { usageError } from '../command-error.ts';
import type { Engine } from '../fairway/engine.ts';
import type { Fairway } from '../fairway/fairway.ts';
import { type CertificateFiles, OwnCertificate } from '../serve/own-certificate.ts';
import type { ServerNames } from '../serve/server-address.ts';
import { openCloud } from '../up/clouds.ts';
import { openMagnum } from './open-magnum.ts';

/** Address and certificates of Magnum's API. */
export interface MagnumEndpoint {
  readonly names: ServerNames;
  /** The operator's own certificate. */
  readonly certificate?: CertificateFiles | undefined;
  /** Limits for the API's clients; the defaults apply to omitted limits. */
  readonly limits?: Partial<ServerLimits> | undefined;
}

export interface ServeMagnumOptions extends MagnumEndpoint {
  /** Fairway's API, accessed with a user's identity. */
  readonly clientOf: MagnumServices['clientOf'];
  /** The current certificate of Fairway's own authority. */
  readonly tls: () => TlsOptions | Promise<TlsOptions>;
  /** Maximum delay before Magnum's API picks up a renewed certificate from that authority. */
  readonly renewalMs: number;
  readonly cloudsYaml: CloudsYaml;
  /** The cloud whose user becomes the trustee of trusts. */
  readonly cloudName: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

export interface MagnumListener extends Pick<MagnumApi, 'url' | 'close'> {
  /** The CA of the operator's own certificate, in PEM; undefined for Fairway's certificate. */
  readonly ownAuthority: string | undefined;
}

/** Serves Magnum's API on top of Fairway's, and renews its certificates. */
export async function serveMagnum(
  { engine, keystone }: Pick<Fairway<Engine>, 'engine' | 'keystone'>,
  options: ServeMagnumOptions,
): Promise<MagnumListener> {
  const { clientOf, tls, renewalMs, names, certificate, limits, cloudsYaml, cloudName, clock, random, log } = options;
  if (keystone === undefined)
    throw usageError("Magnum's API requires Keystone users", 'specify the cloud with --keystone');
  const { client, reader } = engine;
  await using opening = new AsyncDisposableStack();
  const cloud = openCloud(cloudsYaml, cloudName, { clock, random, log });
  opening.defer(() => cloud.close());
  const ownCertificate = certificate && new OwnCertificate(certificate, { clock, log });
  opening.defer(() => ownCertificate?.close());
  const magnum = await openMagnum({
    keystone,
    client,
    reader,
    clientOf,
    cloud,
    names,
    tls: await tls(),
    certificateFor: ownCertificate && ((name) => ownCertificate.contextFor(name)),
    limits,
    clock,
    random,
    log,
  });
  opening.defer(() => magnum.close());
  opening.defer(every(renewalMs, clock, async () => magnum.setTls(await tls())));
  const running = opening.move();
  return { url: magnum.url, ownAuthority: ownCertificate?.authority, close: () => running.disposeAsync() };
}
