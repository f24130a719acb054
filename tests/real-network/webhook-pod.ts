import { readFileSync } from 'node:fs';
import { systemClock } from '@fairway/base/clock';
import type { ConfigMap, Pod, Service, ValidatingWebhookConfiguration } from '@fairway/kube/kinds/generated/types';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { testbed } from '../hosts/testbed.ts';

export const REFUSAL = 'a pod says no';

const HOUR_MS = 3_600_000;
const NAMESPACE = 'default';
const NAME = 'hook';
const PORT = 8443;
const labels = { app: NAME };

/** A script that responds to one AdmissionReview. */
const RESPONSE = readFileSync(new URL('refuse.sh', import.meta.url), 'utf8');

/** A webhook in a pod, with all objects needed to have it called for ConfigMaps with the label `refuse`. */
export interface WebhookPod {
  readonly configMap: ConfigMap;
  readonly pod: Pod;
  readonly service: Service;
  readonly configuration: ValidatingWebhookConfiguration;
}

/** Adds the webhook's image to the testbed's mirror, and creates its certificate. The pod runs on the named node. */
export async function webhookPod(node: string): Promise<WebhookPod> {
  testbed('image', '/bin/true', 'testbed/socat', 'v1', '65534:65534', 'socat', 'busybox-static');
  const authority = await createCertificateAuthority({ commonName: NAME, clock: systemClock, validityMs: HOUR_MS });
  const dnsNames = [`${NAME}.${NAMESPACE}.svc`];
  const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
    commonName: NAME,
    dnsNames,
    usages: 'server',
    clock: systemClock,
    validityMs: HOUR_MS,
  });
  const listen = `OPENSSL-LISTEN:${PORT},reuseaddr,fork,verify=0,cert=/hook/tls.pem`;
  return {
    configMap: {
      metadata: { name: NAME, namespace: NAMESPACE },
      data: { answer: RESPONSE, 'tls.pem': certificatePem + privateKeyPem },
    },
    pod: {
      metadata: { name: NAME, namespace: NAMESPACE, labels },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': node },
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: NAME,
            image: 'registry.k8s.io/testbed/socat:v1',
            command: ['socat', listen, 'EXEC:/bin/busybox sh /hook/answer'],
            readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
            env: [{ name: 'REFUSAL', value: REFUSAL }],
            volumeMounts: [{ name: 'hook', mountPath: '/hook' }],
          },
        ],
        volumes: [{ name: 'hook', configMap: { name: NAME } }],
      },
    },
    service: {
      metadata: { name: NAME, namespace: NAMESPACE },
      spec: { selector: labels, ports: [{ port: 443, targetPort: PORT }] },
    },
    configuration: {
      metadata: { name: NAME },
      webhooks: [
        {
          name: 'hook.example.org',
          clientConfig: {
            service: { namespace: NAMESPACE, name: NAME },
            caBundle: Buffer.from(authority.certificatePem).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          objectSelector: { matchLabels: { refuse: 'yes' } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Fail',
        },
      ],
    },
  };
}
