import { z } from 'zod';
import { Address, common, owner, text, Uuid } from './fields.ts';
import { ListenerInTree } from './listener-schema.ts';
import { PoolInTree } from './pool-schema.ts';

const mutable = { ...common, description: text().nullish(), vip_qos_policy_id: Uuid.nullish() };

const singleVipFields = {
  ...mutable,
  ...owner,
  vip_address: Address.nullish(),
  vip_port_id: Uuid.nullish(),
  vip_subnet_id: Uuid.nullish(),
  vip_network_id: Uuid.nullish(),
  listeners: z.array(ListenerInTree).nullish(),
  pools: z.array(PoolInTree).nullish(),
  provider: text(64).nullish(),
  flavor_id: Uuid.nullish(),
  availability_zone: text().nullish(),
};

export const CreateLoadBalancer = z.strictObject({
  loadbalancer: z.strictObject({
    ...singleVipFields,
    additional_vips: z.array(z.strictObject({ subnet_id: Uuid, ip_address: Address.nullish() })).nullish(),
  }),
});

/** Schema before additional VIPs were added. */
export const CreateWithSingleVip = z.strictObject({ loadbalancer: z.strictObject(singleVipFields) });

export const UpdateLoadBalancer = z.strictObject({ loadbalancer: z.strictObject(mutable) });

export type ListenerOfTree = z.infer<typeof ListenerInTree>;
