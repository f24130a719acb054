import { z } from 'zod';
import { IP_FAMILIES } from './plan-limits.ts';

export const SERVICE_TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'] as const;

const refusedAnnotation = z
  .object({
    key: z
      .string()
      .min(1)
      .max(317)
      .regex(
        /^(?:[A-Za-z0-9][A-Za-z0-9._/-]*(?:\*[A-Za-z0-9._/-]*)?|\*[A-Za-z0-9._/-]*)$/,
        'must be the key of an annotation, or a pattern with one *, such as "example.org/*"',
      )
      .describe('Key of the annotation, or a pattern such as "loadbalancer.openstack.org/*".'),
    values: z
      .array(
        z
          .string()
          .max(128)
          .regex(/^[^*]*(?:\*[^*]*)?$/, 'must be a value, or a pattern with one *, such as "ovn*"'),
      )
      .min(1)
      .max(20)
      .optional()
      .describe(
        'Values that are refused, or patterns such as "ovn*", without regard to case and surrounding spaces; not for a key that is a pattern. Default: all.',
      ),
  })
  .describe('Annotation that Services of type LoadBalancer cannot have.');

/** `spec.services` of a Plan. */
export const planServices = z
  .object({
    types: z
      .array(z.enum(SERVICE_TYPES))
      .min(1)
      .max(4)
      .optional()
      .describe('Types that Services can have. Default: all.'),
    ipFamilies: z
      .array(z.enum(IP_FAMILIES))
      .min(1)
      .max(3)
      .optional()
      .describe('IP families that Services can have. DualStack: both. Default: all.'),
    refusedAnnotations: z
      .array(refusedAnnotation)
      .max(50)
      .optional()
      .describe('Annotations that Services of type LoadBalancer cannot have. Default: none.'),
    loadBalancerProviders: z
      .array(z.string().min(1).max(63))
      .min(1)
      .max(10)
      .optional()
      .describe(
        "Octavia providers that load balancers of Services can use, such as amphora or ovn. The first is the default, unless the cloud's default is in the list. Default: all.",
      ),
  })
  .describe(
    'Limits of Services in the clusters. The Services of Fairway and Kubernetes themselves are exempt. Existing Services are kept.',
  );

export type PlanServices = z.infer<typeof planServices>;

export type ServiceIPFamily = (typeof IP_FAMILIES)[number];

/** An entry of `spec.services.refusedAnnotations`. */
export type RefusedAnnotation = z.infer<typeof refusedAnnotation>;
