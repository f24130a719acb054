import type { Authorizer } from '@fairway/apiserver/auth/user';
import type { AdmissionPlugin, AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@fairway/kube/kinds/generated/types';
import { MutatingAdmissionPolicies, MutatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import { MutationProgram } from './mutation-program.ts';
import { matchesRequest, namespaceOf } from './policy-match.ts';
import { ParamError, paramsOf } from './policy-params.ts';
import { Reinvocations } from './webhooks/reinvocations.ts';

/** These kinds are exempt: they are needed to repair broken admission. */
const EXEMPT_GROUP = 'admissionregistration.k8s.io';

/**
 * MutatingAdmissionPolicies, as in kube-apiserver. Object literals are read as maps, so an unknown field is dropped, not rejected.
 */
export function mutatingPolicies(reader: () => ObjectReader, authorizer: Authorizer): AdmissionPlugin {
  const programs = new WeakMap<MutatingAdmissionPolicy, MutationProgram>();
  const reinvocations = new WeakMap<AdmissionRequest, Reinvocations>();
  const programOf = (policy: MutatingAdmissionPolicy) => {
    const program = programs.get(policy) ?? new MutationProgram(policy);
    programs.set(policy, program);
    return program;
  };

  function run(request: AdmissionRequest, write: WriteInProgress, objects: ObjectReader): void {
    const again = reinvocations.get(request) ?? new Reinvocations();
    reinvocations.set(request, again);
    again.begin(request.object);
    for (const { metadata, spec } of objects.list(MutatingAdmissionPolicyBindings)) {
      const policy = objects.get(MutatingAdmissionPolicies, '', spec.policyName ?? '');
      const name = metadata.name ?? '';
      if (policy === undefined || !again.isDue(name)) continue;
      const isMatch = [policy.spec.matchConstraints, spec.matchResources].every((match) =>
        matchesRequest(match, request, objects),
      );
      if (!isMatch) continue;
      const isChanged = applyMutation(
        programOf(policy),
        policy,
        { metadata, spec },
        request,
        write,
        objects,
        authorizer,
      );
      again.recordCall(name, { isChanged, isReinvocable: policy.spec.reinvocationPolicy === 'IfNeeded' });
    }
    again.end(request.object);
  }

  return {
    name: 'MutatingAdmissionPolicy',
    mutate(request) {
      const { write, object, resource } = request;
      const objects = reader();
      if (write === undefined || object === undefined || resource.group === EXEMPT_GROUP) return;
      if (objects.list(MutatingAdmissionPolicyBindings).length > 0) run(request, write, objects);
    },
    needsReinvocation: (request) => reinvocations.get(request)?.wantsSecondRound ?? false,
  };
}

function applyMutation(
  program: MutationProgram,
  policy: MutatingAdmissionPolicy,
  { metadata, spec }: MutatingAdmissionPolicyBinding,
  request: AdmissionRequest,
  write: WriteInProgress,
  objects: ObjectReader,
  authorizer: Authorizer,
): boolean {
  try {
    const namespace = namespaceOf(request, objects);
    const params = paramsOf(policy.spec.paramKind, spec.paramRef, request, write, objects);
    return params.map((each) => program.apply(request, write, { authorizer, namespace, params: each })).includes(true);
  } catch (error) {
    if (policy.spec.failurePolicy === 'Ignore') return false;
    if (error instanceof ApiError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    const reason = error instanceof ParamError ? `failed to configure binding: ${words}` : words;
    const message = `policy '${policy.metadata.name}' with binding '${metadata.name}' denied request: ${reason}`;
    const { group, plural } = request.resource;
    const subject = { group, resource: plural, name: request.name };
    throw new ApiError(403, 'Invalid', message, { subject, causes: [{ message }] });
  }
}
