import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { FAN_OUT_NAMESPACE } from './fan-out.ts';
import type { BenchServer } from './servers.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const POLL_INTERVAL_MS = 50;
const POLICY_TIMEOUT_MS = 60_000;

/**
 * Creates a policy with its binding. It checks every ConfigMap of the load, and all of them pass. Resolves when the
 * policy is in effect.
 */
export async function enforcePolicy({ admin, name }: BenchServer): Promise<void> {
  const metadata = { name: 'bench' };
  await post(admin, 'validatingadmissionpolicies', {
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
        ],
      },
      validations: [
        {
          expression: "has(object.metadata.labels) && object.metadata.labels['tier'] in ['web', 'batch']",
          message: 'has a tier',
        },
      ],
    },
  });
  await post(admin, 'validatingadmissionpolicybindings', {
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: 'bench', validationActions: ['Deny'] },
  });
  const deadline = performance.now() + POLICY_TIMEOUT_MS;
  while (await acceptsMissingTier(admin)) {
    if (performance.now() > deadline) throw new Error(`${name} does not enforce its policy`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

async function post(admin: BenchServer['admin'], plural: string, object: object): Promise<void> {
  const body = JSON.stringify({ apiVersion: 'admissionregistration.k8s.io/v1', ...object });
  const headers = { 'content-type': 'application/json' };
  await (await admin.raw({ method: 'POST', path: `${GROUP}/${plural}`, headers, body })).text();
}

/** Whether a ConfigMap without a tier is accepted. */
async function acceptsMissingTier(admin: BenchServer['admin']): Promise<boolean> {
  const metadata = { generateName: 'without-a-tier-', namespace: FAN_OUT_NAMESPACE };
  try {
    await admin.resource(ConfigMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    return true;
  } catch (error) {
    if (isApiError(error, 'Invalid')) return false;
    throw error;
  }
}
