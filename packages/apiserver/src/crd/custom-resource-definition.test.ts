import { fieldErrorBody } from '@fairway/kube/object/field-error';
import { describe, expect, it } from 'vitest';
import { CUSTOM_RESOURCE_DEFINITIONS } from './custom-resource-definition.ts';
import { resourcesOfCrd } from './resources-of-crd.ts';
import { crdStatus, isEstablished } from './status.ts';
import type { CrdSpec, CrdStatus, CrdVersion, CustomResourceDefinition } from './types.ts';

const T0 = Date.UTC(2026, 0, 1);

function version(name: string, rest: Partial<CrdVersion> = {}): CrdVersion {
  const properties = { spec: { type: 'object' as const, properties: { color: { type: 'string' as const } } } };
  return { name, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } }, ...rest };
}

function crontabs(spec: Partial<CrdSpec> = {}, status?: CrdStatus): CustomResourceDefinition {
  const names = { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' };
  return {
    metadata: { name: 'crontabs.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version('v1')], ...spec },
    ...(status && { status }),
  };
}

function established(crd: CustomResourceDefinition): CustomResourceDefinition {
  return { ...crd, status: crdStatus(crd, [], T0) };
}

function errorsOf(crd: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const errors = CUSTOM_RESOURCE_DEFINITIONS.strategy?.validate?.(crd, old) ?? [];
  return errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`);
}

describe('CustomResourceDefinitions', () => {
  it('get default names, and a new status', () => {
    const crd = crontabs(
      { names: { plural: 'crontabs', kind: 'CronTab' } },
      { acceptedNames: { plural: 'x', kind: 'X' }, conditions: [], storedVersions: ['v0'] },
    );
    CUSTOM_RESOURCE_DEFINITIONS.strategy?.default?.(crd);
    CUSTOM_RESOURCE_DEFINITIONS.strategy?.prepareForCreate?.(crd, {
      user: { username: 'a', groups: [] },
      nowMs: T0,
      dryRun: false,
    });
    expect(crd.spec).toMatchObject({
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
      conversion: { strategy: 'None' },
    });
    expect(crd.status).toEqual({ acceptedNames: { plural: '', kind: '' }, conditions: [], storedVersions: ['v1'] });
    expect(errorsOf(crd)).toEqual([]);
  });

  it.each<[string, Partial<CrdSpec>, string]>([
    [
      'a name that does not match the plural name and group',
      { names: { ...crontabs().spec.names, plural: 'tabs' } },
      'metadata.name: Invalid value: "crontabs.example.com": must be spec.names.plural+"."+spec.group',
    ],
    [
      'an unknown scope',
      { scope: 'Galaxy' },
      'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ],
    [
      'an invalid kind',
      { names: { ...crontabs().spec.names, kind: 'Cron_Tab' } },
      'spec.names.kind: Invalid value: "Cron_Tab": may have mixed case, but should otherwise match: a DNS-1035 label',
    ],
    [
      'a list kind equal to the kind',
      { names: { ...crontabs().spec.names, listKind: 'CronTab' } },
      'spec.names.listKind: Invalid value: "CronTab": kind and listKind may not be the same',
    ],
    [
      'no storage version',
      { versions: [version('v1', { storage: false })] },
      'spec.versions: Invalid value: ["v1"]: must have exactly one version marked as storage version',
    ],
    [
      'two storage versions',
      { versions: [version('v1'), version('v2')] },
      'must have exactly one version marked as storage version',
    ],
    [
      'a duplicate version',
      { versions: [version('v1'), version('v1', { storage: false })] },
      'must contain unique version names',
    ],
    [
      'no schema',
      { versions: [version('v1', { schema: {} })] },
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    ],
    [
      'a schema that is not structural',
      { versions: [version('v1', { schema: { openAPIV3Schema: {} } })] },
      'spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root',
    ],
    [
      'conversion by webhook',
      { conversion: { strategy: 'Webhook' } },
      'spec.conversion.strategy: Invalid value: "Webhook": conversion webhooks are not supported by this server',
    ],
    [
      'unpruned objects',
      { preserveUnknownFields: true },
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true',
    ],
    [
      'a column of an unknown type',
      { versions: [version('v1', { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] })] },
      'spec.versions[0].additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    ],
    [
      'a column with an invalid path',
      { versions: [version('v1', { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a[' }] })] },
      'spec.versions[0].additionalPrinterColumns[0].jsonPath: Invalid value: ".a[": cannot read JSON path',
    ],
    [
      'a scale outside the spec',
      {
        versions: [
          version('v1', {
            subresources: { scale: { specReplicasPath: '.replicas', statusReplicasPath: '.status.replicas' } },
          }),
        ],
      },
      'specReplicasPath: Invalid value: ".replicas": should be a json path under .spec',
    ],
    [
      'a selectable field that does not exist',
      { versions: [version('v1', { selectableFields: [{ jsonPath: '.spec.size' }] })] },
      'selectableFields[0].jsonPath: Invalid value: ".spec.size": is an invalid path',
    ],
  ])('are rejected with %s', (_, spec, message) => {
    const errors = errorsOf(crontabs(spec));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(message);
  });

  it('keep their scope, kind and stored versions once established', () => {
    const old = established(crontabs());
    const names = { ...old.spec.names, kind: 'Tab' };
    expect(errorsOf(crontabs({ scope: 'Cluster', names }, old.status), old)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Tab": field is immutable',
    ]);
    expect(errorsOf(crontabs({ versions: [version('v2')] }, old.status), old)[0]).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version',
    );
  });
});

describe('the status of a definition', () => {
  it('is established if no other definition in its group uses its names', () => {
    const other = established({
      ...crontabs(),
      metadata: { name: 'crontabs.other.com' },
      spec: { ...crontabs().spec, group: 'other.com' },
    });
    const status = crdStatus(crontabs(), [other], T0);
    expect(status).toEqual({
      acceptedNames: crontabs().spec.names,
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
      storedVersions: ['v1'],
    });
    expect(isEstablished({ ...crontabs(), status })).toBe(true);
  });

  it('stays the same object while nothing changes', () => {
    const crd = established(crontabs());
    expect(crdStatus(crd, [crd], T0 + 60_000)).toBe(crd.status);
  });

  it.each<[string, object, string, string]>([
    ['plural', { plural: 'crontabs', kind: 'Other' }, 'PluralConflict', '"crontabs" is already in use'],
    [
      'singular',
      { plural: 'others', singular: 'crontab', kind: 'Other' },
      'SingularConflict',
      '"crontab" is already in use',
    ],
    [
      'short name',
      { plural: 'others', kind: 'Other', shortNames: ['crontab', 'crontabs', 'o'] },
      'ShortNamesConflict',
      '["crontab" is already in use, "crontabs" is already in use]',
    ],
    ['kind', { plural: 'others', kind: 'CronTab' }, 'KindConflict', '"CronTab" is already in use'],
    [
      'list kind',
      { plural: 'others', kind: 'Other', listKind: 'CronTabList' },
      'ListKindConflict',
      '"CronTabList" is already in use',
    ],
  ])('reports a %s that another definition already uses', (_, names, reason, message) => {
    const crd = { ...crontabs({ names: names as CrdSpec['names'] }), metadata: { name: 'others.example.com' } };
    const status = crdStatus(crd, [established(crontabs())], T0);
    expect(status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason, message },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ]);
    expect(crdStatus({ ...crd, status }, [], T0 + 1000).conditions).toMatchObject([
      { status: 'True', lastTransitionTime: '2026-01-01T00:00:01Z' },
      { type: 'Established', status: 'True' },
    ]);
  });

  it('lists every version that has been the storage version', () => {
    const crd = established(crontabs());
    const next = { ...crd, spec: { ...crd.spec, versions: [version('v1', { storage: false }), version('v2')] } };
    expect(crdStatus(next, [], T0).storedVersions).toEqual(['v1', 'v2']);
  });
});

describe('resources of a definition', () => {
  it('are the served versions with their columns, schemas and subresources', () => {
    const names = { ...crontabs().spec.names, shortNames: ['ct'], categories: ['all'] };
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const v1 = version('v1', {
      subresources: { status: {}, scale },
      additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 }],
      selectableFields: [{ jsonPath: '.spec.color' }],
    });
    const crd = crontabs({ names, versions: [v1, version('v0', { served: false, storage: false })] });
    expect(resourcesOfCrd(crd)).toEqual([
      {
        group: 'example.com',
        version: 'v1',
        plural: 'crontabs',
        singular: 'crontab',
        kind: 'CronTab',
        listKind: 'CronTabList',
        shortNames: ['ct'],
        categories: ['all'],
        namespaced: true,
        custom: true,
        schema: v1.schema?.openAPIV3Schema,
        hasStatus: true,
        scale,
        columns: [{ name: 'Color', type: 'string', value: '.spec.color', priority: 1 }],
        selectableFields: { 'spec.color': '.spec.color' },
      },
    ]);
  });

  it('carry the accepted names, not the requested ones', () => {
    const crd = established(crontabs());
    const renamed = { ...crd, spec: { ...crd.spec, names: { ...crd.spec.names, singular: 'tab' } } };
    expect(resourcesOfCrd(renamed)[0]?.singular).toBe('crontab');
  });

  it('are stored in one version and readable in every version', () => {
    const versions = [version('v1beta1', { storage: false, deprecated: true }), version('v1')];
    const [beta, stable] = resourcesOfCrd(crontabs({ versions }));
    const object = { apiVersion: 'example.com/v1beta1', kind: 'CronTab', metadata: { name: 'a' } };
    const stored = beta?.storedAs?.toStored(object);
    expect(stored?.apiVersion).toBe('example.com/v1');
    expect(stored && beta?.storedAs?.fromStored(stored)).toEqual(object);
    expect(stable?.storedAs).toBeUndefined();
    expect(beta?.strategy?.warnings?.(object)).toEqual(['example.com/v1beta1 CronTab is deprecated']);
  });

  it('are converted in every version as long as objects may be stored in a different one', () => {
    const status = { acceptedNames: crontabs().spec.names, conditions: [], storedVersions: ['v1beta1', 'v1'] };
    const versions = [version('v1beta1', { storage: false }), version('v1')];
    const [, stable] = resourcesOfCrd(crontabs({ versions }, status));
    const old = { apiVersion: 'example.com/v1beta1', kind: 'CronTab', metadata: { name: 'a' } };
    expect(stable?.storedAs?.fromStored(old).apiVersion).toBe('example.com/v1');
  });
});
