import { admitPlan, planWarnings } from '@fairway/api/admission/admit-plan';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import { invalid } from '@fairway/kube/object/field-error';
import type { StoredFacts } from './stored-facts.ts';

/** Validates a Plan against the others, whose limits it may share. */
export async function validatePlan(stored: StoredFacts, request: AdmissionRequest): Promise<void> {
  const admission = {
    plan: request.object as Plan,
    old: request.oldObject as Plan | undefined,
    plans: await stored.plans(),
  };
  const errors = admitPlan(admission);
  if (errors.length > 0) throw invalid(plans, request.name, errors);
  for (const warning of planWarnings(admission)) request.warn(warning);
}
