import type { Deployment, Pod, PodTemplateSpec, Service } from '@fairway/kube/kinds/generated/types';

/** A pod template with one container. */
export function template(labels: Record<string, string>, image = 'nginx:1.29'): PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } };
}

export function deployment(replicas: number, spec: Partial<Deployment['spec']> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template({ app: 'web' }), ...spec },
  };
}

export function pod(name: string, spec: Partial<Pod['spec']> = {}, labels: Record<string, string> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: { containers: [{ name: 'main', image: 'nginx:1.29' }], ...spec },
  };
}

export function service(name: string, spec: Partial<Service['spec']> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  };
}
