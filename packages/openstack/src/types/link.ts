import { z } from 'zod';

/** Nova and Neutron say where the next page is by a link with `rel: next`. */
export const Link = z.object({ rel: z.string(), href: z.string() });
export type Link = z.infer<typeof Link>;
