import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind, MESSAGE_COLUMN, PAUSED_COLUMN } from './kind.ts';
import { conditions, INITIAL_STATUS, observedGeneration } from './status.ts';

const cloudCredentialSpec = z
  .object({
    cloud: z
      .string()
      .min(1)
      .max(63)
      .describe(
        "Name of the entry in the operator's clouds.yaml that contains the address of Keystone. The entry's own user is used only as the trustee of a trust. Immutable.",
      ),
    secretRef: z
      .object({
        name: z.string().min(1).max(253).describe('Name of the Secret.'),
      })
      .describe(
        'Secret in the same namespace that contains application_credential_id and application_credential_secret, or trust_id. Fairway is limited to the project and the roles of that credential.',
      ),
    reclaimPolicy: z
      .enum(['Retain', 'Delete'])
      .default('Retain')
      .describe(
        'What happens to the credential when the last Cluster that uses it is deleted or switches to another one. Retain: it is kept. Delete: it is deleted, and revoked in Keystone if Keystone allows Fairway to do so, which it does for trusts with impersonation and unrestricted application credentials.',
      ),
  })
  .describe('Desired state of the credential with which Fairway acts for a tenant.');

const cloudCredentialStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions()
      .optional()
      .describe(
        'Conditions of the credential. Ready: Keystone accepts the credential, and the credential is for the right project. ExpiresSoon: it expires within 30 days.',
      ),
    phase: z
      .enum(['Available', 'Bound', 'Released'])
      .optional()
      .describe(
        'Whether Clusters use the credential. Available: no Cluster has used it yet. Bound: at least one Cluster uses it. Released: no Cluster uses it any more.',
      ),
    type: z.enum(['ApplicationCredential', 'Trust']).optional().describe('Type of the credential in the Secret.'),
    credentialID: z.string().optional().describe('ID of the application credential or trust in Keystone.'),
    projectID: z.string().optional().describe('ID of the project to which the credential is limited.'),
    projectName: z.string().optional().describe('Name of the project.'),
    userName: z.string().optional().describe('User on whose behalf Fairway acts.'),
    roles: z
      .array(z.string())
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Roles of the credential.'),
    expiresAt: timestamp()
      .optional()
      .describe(
        'Time when the credential expires in Keystone. Absent if the credential does not expire or the time is unknown.',
      ),
  })
  .describe('Observed state of the credential in Keystone.');

export type CloudCredentialSpec = z.infer<typeof cloudCredentialSpec>;
export type CloudCredentialStatus = z.infer<typeof cloudCredentialStatus>;
export type CloudCredentialPhase = NonNullable<CloudCredentialStatus['phase']>;

export interface CloudCredential extends KubeObject {
  spec: CloudCredentialSpec;
  status?: CloudCredentialStatus;
}

/** A CloudCredential as written by a user, without defaults. */
export interface NewCloudCredential extends KubeObject {
  spec: z.input<typeof cloudCredentialSpec>;
}

/** Keys in a CloudCredential's Secret, named as in clouds.yaml. */
export const CREDENTIAL_KEYS = {
  applicationCredentialId: 'application_credential_id',
  applicationCredentialSecret: 'application_credential_secret',
  trustId: 'trust_id',
} as const;

export const cloudCredentials = defineKind<CloudCredential>({
  plural: 'cloudcredentials',
  singular: 'cloudcredential',
  kind: 'CloudCredential',
  namespaced: true,
  shortNames: ['cred'],
  description:
    'CloudCredential is an application credential or trust, created by a tenant, with which Fairway acts in one project.',
  spec: cloudCredentialSpec,
  status: cloudCredentialStatus,
  initialStatus: INITIAL_STATUS,
  columns: [
    { name: 'Cloud', type: 'string', value: '.spec.cloud' },
    { name: 'Type', type: 'string', value: '.status.type' },
    { name: 'Project', type: 'string', value: '.status.projectName' },
    { name: 'Ready', type: 'string', value: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Expires', type: 'string', value: '.status.expiresAt' },
    { name: 'Phase', type: 'string', value: '.status.phase', priority: 1 },
    { name: 'Reclaim Policy', type: 'string', value: '.spec.reclaimPolicy', priority: 1 },
    { name: 'User', type: 'string', value: '.status.userName', priority: 1 },
    { name: 'Roles', type: 'string', value: '.status.roles', priority: 1 },
    PAUSED_COLUMN,
    AGE_COLUMN,
    MESSAGE_COLUMN,
  ],
  immutable: ['spec.cloud'],
  rules: [],
});
