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
        "Entry of the operator's clouds.yaml that says where Keystone is. Of that entry's own user nothing is used, except to receive a trust. Immutable.",
      ),
    secretRef: z
      .object({
        name: z.string().min(1).max(253).describe('Name of the Secret.'),
      })
      .describe(
        'Secret of the same namespace that holds application_credential_id and application_credential_secret, or trust_id. What Fairway may do ends with the project and the roles of that credential.',
      ),
    reclaimPolicy: z
      .enum(['Retain', 'Delete'])
      .default('Retain')
      .describe(
        'What becomes of the credential when the last Cluster that named it is gone, or names another. Retain keeps it for the next one; Delete deletes it, which revokes it in Keystone where Keystone lets Fairway: trusts with impersonation, and unrestricted application credentials.',
      ),
  })
  .describe('The credential that clusters name to have Fairway act for a tenant.');

const cloudCredentialStatus = z
  .object({
    observedGeneration: observedGeneration().optional(),
    conditions: conditions()
      .optional()
      .describe(
        'Ready: Keystone accepts the credential, for the right project. ExpiresSoon stands beside it during the last 30 days.',
      ),
    phase: z
      .enum(['Available', 'Bound', 'Released'])
      .optional()
      .describe('Available: no Cluster has named it yet. Bound: one does. Released: none does any more.'),
    type: z.enum(['ApplicationCredential', 'Trust']).optional().describe('What the Secret holds.'),
    credentialID: z.string().optional().describe('Id of the application credential or trust in Keystone.'),
    projectID: z.string().optional().describe('Project that the credential is limited to.'),
    projectName: z.string().optional().describe('Name of that project.'),
    userName: z.string().optional().describe('User in whose name Fairway acts.'),
    roles: z
      .array(z.string())
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Roles that the credential carries.'),
    expiresAt: timestamp().optional().describe('When Keystone stops to accept it. Empty: never, or not known.'),
  })
  .describe('What Keystone says of the credential.');

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

/** Keys of a CloudCredential's Secret, named as in clouds.yaml. */
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
    'CloudCredential is an application credential or a trust, made by a tenant, with which Fairway acts in one project.',
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
