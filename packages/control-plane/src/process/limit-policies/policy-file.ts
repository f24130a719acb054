import { createHash } from 'node:crypto';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { LIMIT_POLICIES_FOLDER, WORKING_FOLDER } from '../folder-layout.ts';

/*
 * kube-apiserver's manifest-based admission control, alpha in Kubernetes 1.36: ValidatingAdmissionPolicies from a
 * folder. It does not start if the folder contains an invalid file. If a file becomes invalid later, it keeps the
 * previous policies. Source: apiserver/pkg/admission/plugin/policy/manifest.
 */

/** Kubernetes' feature gate. */
export const MANIFESTS_FEATURE = 'ManifestBasedAdmissionControlConfig';
const FIRST_MINOR_WITH_MANIFESTS = 36;

/** Reserved for policies from files: names of other objects can't end in this. */
const STATIC_SUFFIX = '.static.k8s.io';

const GROUP_VERSION = 'admissionregistration.k8s.io/v1';
const MAX_NAME_LENGTH = 253;
const NAME_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Why a Kubernetes version does not read policies from files; undefined if it does. */
export function versionProblem(version: string): string | undefined {
  if (Number(version.split('.')[1]) >= FIRST_MINOR_WITH_MANIFESTS) return undefined;
  return `Kubernetes ${version} does not read policies from files: upgrade the cluster to 1.${FIRST_MINOR_WITH_MANIFESTS}`;
}

/** Configuration of kube-apiserver's admission plugins. Relative paths are not allowed here. */
export function admissionConfiguration(): object {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [
      {
        name: 'ValidatingAdmissionPolicy',
        configuration: {
          apiVersion: 'apiserver.config.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicyConfiguration',
          staticManifestsDir: `${WORKING_FOLDER}/${LIMIT_POLICIES_FOLDER}`,
        },
      },
    ],
  };
}

/**
 * The text of the policy file, or why kube-apiserver would reject it. JSON on one line for each kind: no text of an
 * operator can begin another document.
 */
export function policyFile(objects: readonly KubeObject[]): { readonly text: string } | { readonly problem: string } {
  const policies = objects.filter(isPolicy).map((policy) => ({
    ...policy,
    metadata: { name: staticName(policy.metadata.name ?? '') },
  }));
  const bindings = objects.filter(isBinding).map((binding) => ({
    ...binding,
    metadata: { name: staticName(binding.metadata.name ?? '') },
    spec: { ...binding.spec, policyName: staticName(binding.spec.policyName ?? '') },
  }));
  const [problem] = [
    ...objects.filter((object) => !isPolicy(object) && !isBinding(object)).map(unknownKindProblem),
    ...policies.flatMap(policyProblems),
    ...bindings.flatMap((binding) => bindingProblems(binding, policies)),
    ...[policies, bindings].flatMap(nameProblems),
  ];
  if (problem !== undefined) return { problem };
  const lists = [
    listOf('ValidatingAdmissionPolicyList', policies),
    listOf('ValidatingAdmissionPolicyBindingList', bindings),
  ];
  return { text: lists.map((list) => `${JSON.stringify(list)}\n`).join('---\n') };
}

/** How kube-apiserver identifies the content of a folder with one file. */
export function policyHash(text: string): string {
  return `sha256:${createHash('sha256').update(`${text}\0`).digest('hex')}`;
}

const HASH_METRIC = 'apiserver_manifest_admission_config_controller_last_config_info{';

/** The hash of the policies in effect, according to kube-apiserver's metrics. */
export function loadedPolicyHash(metrics: string): string | undefined {
  const line = metrics
    .split('\n')
    .find((each) => each.startsWith(HASH_METRIC) && each.includes('plugin="ValidatingAdmissionPolicy"'));
  return line === undefined ? undefined : /[{,]hash="(sha256:[0-9a-f]{64})"/.exec(line)?.[1];
}

/** Whether kube-apiserver reports that it does not start because of its policy file. */
export function isPolicyComplaint(complaint: string): boolean {
  return [MANIFESTS_FEATURE, LIMIT_POLICIES_FOLDER, 'admission-control-config-file', 'static policy manifests'].some(
    (words) => complaint.includes(words),
  );
}

function listOf(kind: string, items: readonly object[]): object {
  return { apiVersion: GROUP_VERSION, kind, items };
}

function staticName(name: string): string {
  return `${name}${STATIC_SUFFIX}`;
}

function isPolicy(object: KubeObject): object is ValidatingAdmissionPolicy {
  return object.apiVersion === GROUP_VERSION && object.kind === 'ValidatingAdmissionPolicy';
}

function isBinding(object: KubeObject): object is ValidatingAdmissionPolicyBinding {
  return object.apiVersion === GROUP_VERSION && object.kind === 'ValidatingAdmissionPolicyBinding';
}

function unknownKindProblem({ apiVersion, kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name} of ${apiVersion} can't be read from a file`;
}

function policyProblems({ metadata, spec }: ValidatingAdmissionPolicy): string[] {
  const validations = spec.validations ?? [];
  return [
    ...(spec.paramKind === undefined ? [] : [`policy ${metadata.name}: paramKind is not allowed in files`]),
    ...(validations.length === 0 ? [`policy ${metadata.name} has no validations`] : []),
    ...validations.flatMap(({ message = '' }, index) =>
      /[\r\n]/.test(message) ? [`policy ${metadata.name}: validations[${index}].message has several lines`] : [],
    ),
  ];
}

function bindingProblems(
  { metadata, spec }: ValidatingAdmissionPolicyBinding,
  policies: readonly KubeObject[],
): string[] {
  const isKnown = policies.some((policy) => policy.metadata.name === spec.policyName);
  return [
    ...(spec.paramRef === undefined ? [] : [`binding ${metadata.name}: paramRef is not allowed in files`]),
    ...(isKnown ? [] : [`binding ${metadata.name}: policy ${spec.policyName} is missing`]),
  ];
}

function nameProblems(objects: readonly { readonly metadata: { readonly name: string } }[]): string[] {
  const names = objects.map(({ metadata }) => metadata.name);
  return names.flatMap((name, index) => {
    if (names.indexOf(name) !== index) return [`the name ${name} is used twice`];
    const isValid = name.length <= MAX_NAME_LENGTH && name.split('.').every((label) => NAME_LABEL.test(label));
    return isValid ? [] : [`the name ${name} is invalid`];
  });
}
