import type { ServerLimits } from '@fairway/apiserver/server/limits';
import type { Clock } from '@fairway/base/clock';
import { every } from '@fairway/base/every';
import type { Logger } from '@fairway/base/log';
import type { ManagementGateway } from '@fairway/gateway/management/management-gateway';
import { requireMagnumRights } from '@fairway/gateway/management/required-rights';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { MagnumApi } from '@fairway/magnum/magnum-api';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { usageError } from '../command-error.ts';
import type { Engine } from '../fairway/engine.ts';
import type { Fairway } from '../fairway/fairway.ts';
import { logOf } from '../log-levels.ts';
import { openMagnum } from '../magnum/open-magnum.ts';
import { openCloud } from '../up/clouds.ts';
import { type CertificateFiles, OwnCertificate } from './own-certificate.ts';
import type { ServerNames } from './server-address.ts';

/** Where a replica serves Magnum's API. */
export interface MagnumServing {
  readonly names: ServerNames;
  readonly certificate?: CertificateFiles | undefined;
  /** Limits of its clients, where they are not the defaults. */
  readonly limits?: Partial<ServerLimits> | undefined;
}

/** How soon a renewed certificate of the gateway is this one's, too. */
const CERTIFICATE_LOOK_MS = 60_000;

/** Serves Magnum's API beside a replica's gateway, through which it asks for all that its users want. Any replica may answer any request. */
export async function openMagnumBeside(
  gateway: ManagementGateway,
  { engine, keystone }: Fairway<Engine>,
  { names, certificate, limits }: MagnumServing,
  shared: {
    readonly cloudsYaml: CloudsYaml;
    /** Whose user trusts are given to. */
    readonly cloudName: string;
    readonly clock: Clock;
    readonly random: () => number;
    readonly log: Logger;
  },
): Promise<Pick<MagnumApi, 'url' | 'close'>> {
  const { cloudsYaml, cloudName, clock, random } = shared;
  const log = logOf(shared.log, 'gateway');
  if (keystone === undefined)
    throw usageError("Magnum's API lets users of Keystone in", 'name its cloud with --keystone');
  const { client, reader } = engine;
  await requireMagnumRights(client);
  await using opening = new AsyncDisposableStack();
  const cloud = openCloud(cloudsYaml, cloudName, { clock, random, log });
  opening.defer(() => cloud.close());
  const own = certificate && new OwnCertificate(certificate, { clock, log });
  opening.defer(() => own?.close());
  const magnum = await openMagnum({
    keystone,
    client,
    reader,
    clientOf: (_user, { token, peer }) =>
      new KubeClient(gateway.connect({ bearerToken: token, peer }), { userAgent: 'fairway-magnum', clock }),
    cloud,
    names,
    tls: gateway.tls(),
    certificateFor: own && ((name) => own.contextFor(name)),
    limits,
    clock,
    random,
    log,
  });
  opening.defer(() => magnum.close());
  opening.defer(every(CERTIFICATE_LOOK_MS, clock, async () => magnum.setTls(gateway.tls())));
  const running = opening.move();
  return { url: magnum.url, close: () => running.disposeAsync() };
}
