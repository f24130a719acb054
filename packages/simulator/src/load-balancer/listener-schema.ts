import { z } from 'zod';
import { Cidrs, common, integer, oneOf, owner, Port, Texts, text, Uuid } from './fields.ts';
import { PolicyInTree } from './l7-schema.ts';
import { PoolInTree } from './pool-schema.ts';
import { LISTENER_PROTOCOLS } from './protocols.ts';
import { ALPN_PROTOCOLS } from './tls.ts';

/** 24 days in milliseconds. */
const MAX_TIMEOUT_MS = 24 * 24 * 60 * 60 * 1000;
const Timeout = integer(0, MAX_TIMEOUT_MS).nullish();

const mutable = {
  ...common,
  description: text().nullish(),
  connection_limit: integer(-1).nullish(),
  default_pool_id: Uuid.nullish(),
  insert_headers: z.record(z.string(), text()).nullish(),
  timeout_client_data: Timeout,
  timeout_member_connect: Timeout,
  timeout_member_data: Timeout,
  timeout_tcp_inspect: Timeout,
  allowed_cidrs: Cidrs.nullish(),
  default_tls_container_ref: text().nullish(),
  sni_container_refs: Texts(255).nullish(),
  client_ca_tls_container_ref: text().nullish(),
  client_authentication: oneOf(['NONE', 'OPTIONAL', 'MANDATORY']).nullish(),
  client_crl_container_ref: text().nullish(),
  tls_ciphers: text(2048).nullish(),
  tls_versions: Texts(32).nullish(),
  alpn_protocols: z.array(z.enum(ALPN_PROTOCOLS, 'Value should be a valid ALPN protocol ID')).nullish(),
};

const required = { protocol: oneOf(LISTENER_PROTOCOLS), protocol_port: Port };

export const CreateListener = z.strictObject({
  listener: z.strictObject({ ...mutable, ...owner, ...required, loadbalancer_id: Uuid }),
});

export const UpdateListener = z.strictObject({ listener: z.strictObject(mutable) });

export const ListenerInTree = z.strictObject({
  ...mutable,
  ...required,
  default_pool: PoolInTree.nullish(),
  l7policies: z.array(PolicyInTree).nullish(),
});

export type ListenerFields = z.infer<ReturnType<typeof z.strictObject<typeof mutable & typeof required>>>;
export type ListenerChanges = z.infer<typeof UpdateListener>['listener'];
