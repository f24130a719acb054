import { z } from 'zod';
import { Address, common, Flag, integer, matching, oneOf, owner, Texts, text, Uuid } from './fields.ts';
import { MemberFields } from './member-schema.ts';
import { MonitorInTree } from './monitor-schema.ts';
import { POOL_PROTOCOLS } from './protocols.ts';
import { ALPN_PROTOCOLS } from './tls.ts';

const Algorithm = oneOf(['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP', 'SOURCE_IP_PORT']);
const PersistenceType = oneOf(['SOURCE_IP', 'HTTP_COOKIE', 'APP_COOKIE']);
const persistence = {
  cookie_name: matching(/^[^\s,;\\]+$/).nullish(),
  persistence_timeout: integer(Number.MIN_SAFE_INTEGER).nullish(),
  persistence_granularity: Address.nullish(),
};
const NewPersistence = z.strictObject({ ...persistence, type: PersistenceType });
const ChangedPersistence = z.strictObject({ ...persistence, type: PersistenceType.nullish() });

const mutable = {
  ...common,
  description: text().nullish(),
  tls_enabled: Flag.nullish(),
  tls_container_ref: text().nullish(),
  ca_tls_container_ref: text().nullish(),
  crl_container_ref: text().nullish(),
  tls_ciphers: text(2048).nullish(),
  tls_versions: Texts(32).nullish(),
  alpn_protocols: z.array(z.enum(ALPN_PROTOCOLS, 'Value should be a valid ALPN protocol ID')).nullish(),
};

const required = { protocol: oneOf(POOL_PROTOCOLS), lb_algorithm: Algorithm };

export const CreatePool = z.strictObject({
  pool: z.strictObject({
    ...mutable,
    ...owner,
    ...required,
    session_persistence: NewPersistence.nullish(),
    listener_id: Uuid.nullish(),
    loadbalancer_id: Uuid.nullish(),
  }),
});

export const UpdatePool = z.strictObject({
  pool: z.strictObject({
    ...mutable,
    lb_algorithm: Algorithm.nullish(),
    session_persistence: ChangedPersistence.nullish(),
  }),
});

/** A whole pool, or only the name of a pool defined in the same request. */
export const PoolInTree = z.strictObject({
  ...mutable,
  protocol: required.protocol.nullish(),
  lb_algorithm: Algorithm.nullish(),
  session_persistence: NewPersistence.nullish(),
  healthmonitor: MonitorInTree.nullish(),
  members: z.array(MemberFields).nullish(),
});

export type PoolFields = Omit<z.infer<typeof CreatePool>['pool'], 'project_id' | 'tenant_id'>;
export type PoolChanges = z.infer<typeof UpdatePool>['pool'];
export type PoolOfTree = z.infer<typeof PoolInTree>;
export type PersistenceFields = z.infer<typeof ChangedPersistence>;
