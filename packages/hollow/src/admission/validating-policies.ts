import type { AdmissionPlugin, AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { ValidatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import { ApiError, type StatusReason } from '@fairway/kube/object/api-error';
import { matchesRequest, namespaceOf } from './policy-match.ts';
import { PolicyProgram, type Violation } from './policy-program.ts';

/** What policies may refuse with, and the codes of HTTP. */
const CODES: ReadonlyMap<string, number> = new Map<StatusReason, number>([
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
  ['Invalid', 422],
]);
/** Whoever breaks admission mends it by these. */
const EXEMPT_GROUP = 'admissionregistration.k8s.io';

/**
 * ValidatingAdmissionPolicies, as kube-apiserver runs them, without parameters, the authorizer and audit annotations: a policy that has what is not
 * there refuses nothing, and requests that it is about get a warning. Expressions see no schemas: a time is a text.
 */
export function validatingPolicies(reader: () => ObjectReader): AdmissionPlugin {
  const programs = new WeakMap<ValidatingAdmissionPolicy, PolicyProgram>();
  const programOf = (policy: ValidatingAdmissionPolicy) => {
    const program = programs.get(policy) ?? new PolicyProgram(policy);
    programs.set(policy, program);
    return program;
  };
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(request) {
      const objects = reader();
      if (request.resource.group === EXEMPT_GROUP) return;
      for (const { metadata, spec } of objects.list(ValidatingAdmissionPolicyBindings)) {
        const policy = objects.get(ValidatingAdmissionPolicies, '', spec.policyName);
        if (policy === undefined) continue;
        const isMatch = [policy.spec.matchConstraints, spec.matchResources].every((match) =>
          matchesRequest(match, request, objects),
        );
        if (!isMatch) continue;
        const program = programOf(policy);
        if (program.problem !== undefined) {
          request.warn(`ValidatingAdmissionPolicy '${spec.policyName}' is not run here: ${program.problem}`);
          continue;
        }
        const [first, ...others] = program.judge(request, namespaceOf(request, objects));
        if (first === undefined) continue;
        const by = `ValidatingAdmissionPolicy '${spec.policyName}' with binding '${metadata.name}'`;
        if (spec.validationActions.includes('Deny')) throw refusal(request, by, first);
        if (!spec.validationActions.includes('Warn')) continue;
        for (const { message } of [first, ...others]) request.warn(`Validation failed for ${by}: ${message}`);
      }
    },
  };
}

function refusal({ resource, name }: AdmissionRequest, by: string, { message, reason }: Violation): ApiError {
  const { group, plural } = resource;
  const qualified = group === '' ? plural : `${plural}.${group}`;
  const known = CODES.has(reason) ? (reason as StatusReason) : 'Invalid';
  const subject = { group, resource: plural, name };
  const words = `${qualified} "${name}" is forbidden: ${by} denied request: ${message}`;
  return new ApiError(CODES.get(known) ?? 422, known, words, { subject, causes: [{ message }] });
}
