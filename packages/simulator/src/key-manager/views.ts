import type { KeyContainer, KeySecret, ProtectedObject } from './records.ts';
import { isoTime } from './times.ts';

/** Times and status, which all Barbican resources have. */
export function timestamps({ createdMs, updatedMs }: Pick<ProtectedObject, 'createdMs' | 'updatedMs'>): object {
  return { created: isoTime(createdMs), updated: isoTime(updatedMs), status: 'ACTIVE' };
}

/** A secret's metadata. `root` is the service's URL. */
export function viewSecret(root: string, secret: KeySecret, { withConsumers }: { withConsumers: boolean }): object {
  const { expirationMs, payload } = secret;
  return {
    ...timestamps(secret),
    name: secret.name,
    secret_type: secret.secretType,
    expiration: expirationMs === null ? null : isoTime(expirationMs),
    algorithm: secret.algorithm,
    bit_length: secret.bitLength,
    mode: secret.mode,
    creator_id: secret.creatorId,
    ...(withConsumers && {
      consumers: secret.consumers.map(({ service, resource_type, resource_id }) => ({
        service,
        resource_type,
        resource_id,
      })),
    }),
    ...(payload !== null && { content_types: { default: payload.contentType } }),
    secret_ref: secretRef(root, secret.id),
  };
}

export function viewContainer(root: string, container: KeyContainer): object {
  return {
    ...timestamps(container),
    name: container.name,
    type: container.type,
    creator_id: container.creatorId,
    secret_refs: container.secrets.map(({ name, secretId }) => ({ name, secret_ref: secretRef(root, secretId) })),
    consumers: container.consumers.map(({ name, URL }) => ({ name, URL })),
    container_ref: containerRef(root, container.id),
  };
}

export function secretRef(root: string, id: string): string {
  return `${root}/v1/secrets/${id}`;
}

export function containerRef(root: string, id: string): string {
  return `${root}/v1/containers/${id}`;
}

/** Barbican's link to the consumers, which is wrong upstream too. */
export function consumersRef(root: string, id: string): string {
  return `${root}/v1/consumers/${id}/consumers`;
}
