import { z } from 'zod';
import { parseCidr, parseIp } from './cidr.ts';

export const Name = z.string().max(255);
export const Description = z.string().max(255);
export const Uuid = z.string().refine((text) => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text), {
  message: 'is not a valid UUID',
});
export const IpText = z
  .string()
  .refine((text) => parseIp(text) !== undefined, { message: 'is not a valid IP address' });
export const CidrText = z.string().refine((text) => text.includes('/') && parseCidr(text) !== undefined, {
  message: 'is not a valid IP subnet',
});
export const MacText = z.string().refine((text) => /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text), {
  message: 'is not a valid MAC address',
});
export const HostRoutes = z.array(z.strictObject({ destination: CidrText, nexthop: IpText }));

/** Accepts all spellings of booleans that Neutron accepts. */
export const Flag = z.preprocess((value) => {
  if (typeof value === 'number') return value === 1 ? true : value === 0 ? false : value;
  if (typeof value !== 'string') return value;
  const lower = value.toLowerCase();
  return ['true', '1'].includes(lower) ? true : ['false', '0'].includes(lower) ? false : value;
}, z.boolean());

/** Attributes that every create request may contain. */
export const ownerAttributes = {
  project_id: z.string().optional(),
  tenant_id: z.string().optional(),
  tags: z.never().optional(),
};
