/** Name of the classes of Ingresses and Gateways that Fairway serves even if no such class exists. */
export const OCTAVIA_CLASS = 'octavia';

/** Controller of Fairway's IngressClasses and GatewayClasses, and `spec.loadBalancerClass` of Services. */
export const OCTAVIA_CONTROLLER = 'fairway.dev/octavia';

/** Annotation for the class of an Ingress without `spec.ingressClassName`. */
export const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Values of that annotation for Fairway; the first is octavia-ingress-controller's. */
export const ANNOTATED_INGRESS_CLASSES: readonly string[] = ['openstack', OCTAVIA_CLASS];
