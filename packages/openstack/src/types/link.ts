import { z } from 'zod';

/** Nova and Neutron link to the next page with `rel: next`. */
export const Link = z.object({ rel: z.string(), href: z.string() });
export type Link = z.infer<typeof Link>;
