import { dump } from 'js-yaml';
import type { Alert } from './alert.ts';
import { API_ALERTS } from './api-alerts.ts';
import { AUDIT_ALERTS } from './audit-alerts.ts';
import { CLOUD_ALERTS } from './cloud-alerts.ts';
import { CLUSTER_ALERTS } from './cluster-alerts.ts';
import { FAIRWAY_ALERTS } from './fairway-alerts.ts';
import { SLO_ALERTS, SLO_RECORDINGS } from './slo-rules.ts';

/** All alerts, in the order of their runbooks. */
export const ALERTS: readonly Alert[] = [
  ...FAIRWAY_ALERTS,
  ...CLUSTER_ALERTS,
  ...CLOUD_ALERTS,
  ...AUDIT_ALERTS,
  ...SLO_ALERTS,
  ...API_ALERTS,
];

/** Location of the runbooks, unless the operator serves the docs elsewhere. */
export const RUNBOOKS_PATH = 'docs/operators/runbooks.md';

/** The rule groups, shared by the rules file and the PrometheusRule. */
export function ruleGroups(): object {
  return {
    groups: [
      { name: 'fairway-slo', rules: SLO_RECORDINGS },
      { name: 'fairway', rules: ALERTS.map(ruleOf) },
    ],
  };
}

/** The rules file. */
export function rulesText(): string {
  return dump(ruleGroups(), { lineWidth: -1, noRefs: true });
}

function ruleOf({ name, expr, for: pendingFor, severity, summary, description }: Alert): object {
  return {
    alert: name,
    expr,
    for: pendingFor,
    labels: { severity },
    annotations: { summary, description, runbook_url: `${RUNBOOKS_PATH}#${name.toLowerCase()}` },
  };
}
