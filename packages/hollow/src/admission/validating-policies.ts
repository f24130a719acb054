import type { Authorizer } from '@fairway/apiserver/auth/user';
import type { AdmissionPlugin, AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { ParamRef, ValidatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import { ApiError, type StatusReason } from '@fairway/kube/object/api-error';
import { matchesRequest, namespaceOf } from './policy-match.ts';
import { ParamError, paramsOf } from './policy-params.ts';
import { PolicyProgram, type Violation } from './policy-program.ts';

/** Rejection reasons that policies may use, with their HTTP codes. */
const CODES: ReadonlyMap<string, number> = new Map<StatusReason, number>([
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
  ['Invalid', 422],
]);
/** These kinds are exempt: they are needed to repair broken admission. */
const EXEMPT_GROUP = 'admissionregistration.k8s.io';

/**
 * ValidatingAdmissionPolicies, as in kube-apiserver. A policy that uses an unsupported feature rejects nothing; requests that it matches get a
 * warning. Schemas do not type the expressions: a time is a string.
 */
export function validatingPolicies(reader: () => ObjectReader, authorizer: Authorizer): AdmissionPlugin {
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
          request.warn(`ValidatingAdmissionPolicy '${spec.policyName}' is not evaluated: ${program.problem}`);
          continue;
        }
        const violations = violationsOf(program, policy, spec.paramRef, request, objects, authorizer);
        const [first, ...others] = violations;
        if (first === undefined) continue;
        const { policyName, validationActions } = spec;
        const by = `ValidatingAdmissionPolicy '${policyName}' with binding '${metadata.name}'`;
        if (validationActions.includes('Deny')) throw refusal(request, by, first);
        if (validationActions.includes('Audit')) {
          const about = { policy: policyName, binding: metadata.name, validationActions };
          const failures = violations.map(({ message, index }) => ({ message, ...about, expressionIndex: index ?? 0 }));
          request.write?.annotate('validation.policy.admission.k8s.io/validation_failure', JSON.stringify(failures));
        }
        if (!validationActions.includes('Warn')) continue;
        for (const { message } of [first, ...others]) request.warn(`Validation failed for ${by}: ${message}`);
      }
    },
  };
}

/** Evaluates the policy with each parameter; missing parameters are a violation unless failures are ignored. */
function violationsOf(
  program: PolicyProgram,
  { metadata, spec }: ValidatingAdmissionPolicy,
  paramRef: ParamRef | undefined,
  request: AdmissionRequest,
  objects: ObjectReader,
  authorizer: Authorizer,
): readonly Violation[] {
  const { write } = request;
  if (write === undefined) return [];
  const annotate = (key: string, value: string) => write.annotate(`${metadata.name}/${key}`, value);
  const namespace = namespaceOf(request, objects);
  try {
    const params = paramsOf(spec.paramKind, paramRef, request, write, objects);
    return params.flatMap((each) => program.evaluate(request, { authorizer, namespace, params: each }, annotate));
  } catch (error) {
    if (!(error instanceof ParamError)) throw error;
    if (spec.failurePolicy === 'Ignore') return [];
    return [{ reason: 'Invalid', message: `failed to configure binding: ${error.message}` }];
  }
}

function refusal({ resource, name }: AdmissionRequest, by: string, { message, reason }: Violation): ApiError {
  const { group, plural } = resource;
  const qualified = group === '' ? plural : `${plural}.${group}`;
  const known = CODES.has(reason) ? (reason as StatusReason) : 'Invalid';
  const subject = { group, resource: plural, name };
  const words = `${qualified} "${name}" is forbidden: ${by} denied request: ${message}`;
  return new ApiError(CODES.get(known) ?? 422, known, words, { subject, causes: [{ message }] });
}
