import type { WebhookObservation } from '@fairway/service/serve/webhook-observation';
import { certificateFinding } from './certificate.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const CHECK = 'webhook';
const GATEWAY_ADVICE =
  'start "fairway serve" with its gateway, which registers the webhook; or check the log of the running one';

/**
 * Findings on the webhook through which kube-apiserver sends changes to Fairway; empty if the webhook does not exist.
 */
export function webhookFindings(webhook: WebhookObservation | undefined, nowMs: number): Finding[] {
  if (webhook === undefined) {
    return [
      problem(
        CHECK,
        'no webhook is registered: changes are not checked against plans, quota and the cloud',
        GATEWAY_ADVICE,
      ),
    ];
  }
  const { name, faults, origin, probe } = webhook;
  const findings: Finding[] = [];
  if (faults.length > 0) {
    findings.push(
      problem(CHECK, `ValidatingWebhookConfiguration ${name} was changed: ${faults.join('; ')}`, GATEWAY_ADVICE),
    );
  }
  if (origin === undefined || probe === undefined) {
    const detail = `ValidatingWebhookConfiguration ${name} has no address: start a gateway, which registers one`;
    return [...findings, problem(CHECK, detail, GATEWAY_ADVICE)];
  }
  switch (probe.kind) {
    case 'trusted':
      if (faults.length === 0) findings.push(ok(CHECK, `kube-apiserver calls ${origin}, which answers`));
      findings.push(certificateFinding('webhook certificate', probe.validTo, nowMs, GATEWAY_ADVICE));
      return findings;
    case 'distrusted':
      return [
        ...findings,
        problem(CHECK, `${origin} answers with a certificate that ${reasonOf(probe.code)}`, adviceOf(probe.code)),
      ];
    case 'silent':
      return [
        ...findings,
        warning(
          CHECK,
          `${origin} does not answer from here (${probe.code}); if kube-apiserver cannot reach it either, it rejects changes of Clusters and NodePools`,
          'check whether a gateway runs there, and whether a load balancer or a NetworkPolicy blocks it; --webhook-url sets the address',
        ),
      ];
  }
}

const NAME_MISMATCH = 'ERR_TLS_CERT_ALTNAME_INVALID';
const EXPIRED = 'CERT_HAS_EXPIRED';

function reasonOf(code: string): string {
  if (code === NAME_MISMATCH) return 'is for other names';
  if (code === EXPIRED) return 'has expired';
  return `the registered caBundle does not verify (${code})`;
}

function adviceOf(code: string): string {
  if (code === NAME_MISMATCH) return 'add its name with --tls-san, or name another address with --webhook-url';
  if (code === EXPIRED) return 'restart that gateway, or replace the file of tls.certFile';
  return 'a load balancer there must pass TLS through; for a custom certificate, name its CA with --tls-ca-file';
}
