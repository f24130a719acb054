import type { ObjectMeta } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { labels, NAME, optional, optionalFlag, optionalInt } from '../http/body.ts';
import { invalidInput } from '../http/magnum-error.ts';
import { links } from '../http/representation.ts';

/** A string that fits into a column of Magnum's database. */
const optionalText = () => optional(z.string().max(255));

/** Fields of a ClusterTemplate, by Magnum's names; `POST /v1/clustertemplates`. */
export const TemplateBody = z.strictObject({
  name: optional(NAME),
  coe: z.string().max(255),
  image_id: z.string().min(1).max(255),
  flavor_id: optionalText(),
  master_flavor_id: optionalText(),
  keypair_id: optionalText(),
  dns_nameserver: optionalText(),
  external_network_id: optionalText(),
  fixed_network: optionalText(),
  fixed_subnet: optionalText(),
  network_driver: optionalText(),
  volume_driver: optionalText(),
  docker_storage_driver: optionalText(),
  docker_volume_size: optionalInt(z.int().min(0)),
  apiserver_port: optionalInt(z.int().min(1024).max(65_535)),
  cluster_distro: optionalText(),
  http_proxy: optionalText(),
  https_proxy: optionalText(),
  no_proxy: optionalText(),
  insecure_registry: optionalText(),
  registry_enabled: optionalFlag(),
  labels: optional(labels()),
  tls_disabled: optionalFlag(),
  public: optionalFlag(),
  hidden: optionalFlag(),
  server_type: optionalText(),
  master_lb_enabled: optionalFlag(),
  floating_ip_enabled: optionalFlag(),
  tags: optionalText(),
  driver: optionalText(),
});
export type TemplateBody = z.infer<typeof TemplateBody>;
/** The same fields; unset ones are omitted. */
export type TemplateFields = Partial<TemplateBody> & Pick<TemplateBody, 'coe' | 'image_id'>;

export interface TemplateOffer {
  readonly plan: string;
  readonly minor: string;
  /** Why the plan refuses the version to new clusters; undefined if it does not. */
  readonly planProblem?: string | undefined;
}

/** An operator's template, or a tenant's own. */
export interface Template {
  readonly uuid: string;
  readonly name: string;
  readonly fields: TemplateFields;
  /** Plan and version of an operator's template; a tenant's own template specifies them in labels. */
  readonly offer: TemplateOffer | undefined;
  /** The ConfigMap of a tenant's own template, as read; undefined for the operator's. */
  readonly configMap: ObjectMeta | undefined;
  readonly projectId: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly updatedAt: string | undefined;
}

/** `image_id` for the operator's default image. */
export const DEFAULT_IMAGE = 'default';

/** Throws 400 for templates that no cluster can use. Pure. */
export function checkTemplate(fields: TemplateFields): void {
  const { coe, server_type, volume_driver, tls_disabled, registry_enabled } = fields;
  if (coe !== 'kubernetes')
    throw invalidInput(`coe: Cluster type ${coe.slice(0, 40)} is not supported: it must be kubernetes`);
  if (server_type !== undefined && server_type !== 'vm') throw invalidInput('server_type must be vm');
  if (volume_driver !== undefined && volume_driver !== 'cinder') throw invalidInput('volume_driver must be cinder');
  if (tls_disabled) throw invalidInput('tls_disabled is not supported: clusters always use TLS');
  if (registry_enabled) throw invalidInput('registry_enabled is not supported: Fairway runs no registry in clusters');
  if (fields.no_proxy && !fields.http_proxy && !fields.https_proxy) {
    throw invalidInput('no_proxy has no effect without http_proxy or https_proxy: remove it');
  }
  for (const name of ['insecure_registry', 'apiserver_port'] as const) {
    const value = fields[name];
    if (value !== undefined && value !== '') throw invalidInput(`${name} is not supported`);
  }
}

/** The template in Magnum's format. */
export function templateView(template: Template, url: string) {
  const { uuid, name, fields, projectId, userId, createdAt, updatedAt } = template;
  return {
    uuid,
    name,
    coe: fields.coe,
    image_id: fields.image_id,
    flavor_id: fields.flavor_id ?? null,
    master_flavor_id: fields.master_flavor_id ?? null,
    dns_nameserver: fields.dns_nameserver ?? null,
    keypair_id: fields.keypair_id ?? null,
    external_network_id: fields.external_network_id ?? null,
    fixed_network: fields.fixed_network ?? null,
    fixed_subnet: fields.fixed_subnet ?? null,
    network_driver: fields.network_driver ?? null,
    apiserver_port: fields.apiserver_port ?? null,
    docker_volume_size: fields.docker_volume_size ?? null,
    docker_storage_driver: fields.docker_storage_driver ?? null,
    cluster_distro: fields.cluster_distro ?? null,
    http_proxy: fields.http_proxy ?? null,
    https_proxy: fields.https_proxy ?? null,
    no_proxy: fields.no_proxy ?? null,
    volume_driver: fields.volume_driver ?? null,
    registry_enabled: false,
    insecure_registry: null,
    labels: fields.labels ?? {},
    tls_disabled: false,
    public: fields.public ?? false,
    hidden: fields.hidden ?? false,
    server_type: 'vm',
    master_lb_enabled: fields.master_lb_enabled ?? true,
    floating_ip_enabled: fields.floating_ip_enabled ?? false,
    tags: fields.tags ?? null,
    driver: fields.driver ?? 'fairway',
    project_id: projectId,
    user_id: userId,
    created_at: createdAt,
    updated_at: updatedAt ?? null,
    links: links(url, 'clustertemplates', uuid),
  };
}
