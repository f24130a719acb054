import type { AdmissionPlugin, AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { MutatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { MutatingAdmissionPolicies, MutatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import { MutationProgram } from './mutation-program.ts';
import { matchesRequest, namespaceOf } from './policy-match.ts';
import { Reinvocations } from './webhooks/reinvocations.ts';

/** Whoever breaks admission mends it by these. */
const EXEMPT_GROUP = 'admissionregistration.k8s.io';

/**
 * MutatingAdmissionPolicies, as kube-apiserver runs them, without parameters and the authorizer: a policy that has parameters changes nothing, and
 * requests that it is about get a warning. Object literals are read as maps, so a field that the kind lacks is dropped, not refused.
 */
export function mutatingPolicies(reader: () => ObjectReader): AdmissionPlugin {
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
      const program = programOf(policy);
      if (program.problem !== undefined) {
        request.warn(`MutatingAdmissionPolicy '${spec.policyName}' is not run here: ${program.problem}`);
        continue;
      }
      const isChanged = applied(program, policy, name, request, write, objects);
      again.called(name, { isChanged, isReinvocable: policy.spec.reinvocationPolicy === 'IfNeeded' });
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
    wantsSecondRound: (request) => reinvocations.get(request)?.wantsSecondRound ?? false,
  };
}

function applied(
  program: MutationProgram,
  policy: MutatingAdmissionPolicy,
  binding: string,
  request: AdmissionRequest,
  write: WriteInProgress,
  objects: ObjectReader,
): boolean {
  try {
    return program.apply(request, write, namespaceOf(request, objects));
  } catch (error) {
    if (policy.spec.failurePolicy === 'Ignore') return false;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `policy '${policy.metadata.name}' with binding '${binding}' denied request: ${reason}`;
    const { group, plural } = request.resource;
    const subject = { group, resource: plural, name: request.name };
    throw new ApiError(403, 'Invalid', message, { subject, causes: [{ message }] });
  }
}
