import { z } from 'zod';
import { Address, common, Flag, integer, owner, Port, Uuid } from './fields.ts';

const mutable = {
  ...common,
  weight: integer(0, 256).nullish(),
  backup: Flag.nullish(),
  monitor_port: Port.nullish(),
  monitor_address: Address.nullish(),
};

export const MemberFields = z.strictObject({
  ...mutable,
  ...owner,
  address: Address,
  protocol_port: Port,
  subnet_id: Uuid.nullish(),
});
export type MemberFields = z.infer<typeof MemberFields>;

export const CreateMember = z.strictObject({ member: MemberFields });
export const UpdateMember = z.strictObject({ member: z.strictObject(mutable) });
export const ReplaceMembers = z.strictObject({ members: z.array(MemberFields) });
