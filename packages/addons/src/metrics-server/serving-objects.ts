import type { Clock } from '@fairway/base/clock';
import type { APIService, Secret } from '@fairway/kube/kinds/generated/types';
import { type Addon, type AddonObject, type AggregatedApi, objectKey } from '../addon.ts';
import { issueServingCertificate, type ServingCertificate, validCertificate } from './serving-certificate.ts';

/** The objects of an add-on with its serving certificate: the one in `live` if it is valid, otherwise a new one. */
export async function withCertificate(
  { objects }: Addon,
  { certificate, registration, dnsName }: AggregatedApi,
  live: Secret | undefined,
  clock: Clock,
): Promise<readonly AddonObject[]> {
  const data = validCertificate(live, dnsName, clock.now()) ?? (await issueServingCertificate(dnsName, live, clock));
  return objects.map((each): AddonObject => {
    if (objectKey(each) === objectKey(certificate)) return { ...each, object: withData(each.object, data) };
    if (objectKey(each) === objectKey(registration))
      return { ...each, object: withCaBundle(each.object as APIService, data) };
    return each;
  });
}

function withData(secret: Secret, data: ServingCertificate): Secret {
  return { ...secret, data: { ...data } };
}

function withCaBundle(service: APIService, { 'ca.crt': caBundle }: ServingCertificate): APIService {
  return { ...service, spec: { ...service.spec, caBundle } };
}
