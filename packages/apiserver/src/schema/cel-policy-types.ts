import { BOOL, type CelType, DYN, listOf, mapOf, objectOf, STRING, simpleType } from './cel-types.ts';

const STRING_MAP = mapOf(STRING, STRING);

/** The `request` variable in policies. */
export const REQUEST_TYPE: CelType = objectOf('kubernetes.AdmissionRequest', {
  kind: objectOf('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING }),
  resource: objectOf('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING }),
  subResource: STRING,
  requestKind: objectOf('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING }),
  requestResource: objectOf('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING }),
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: objectOf('kubernetes.UserInfo', {
    username: STRING,
    uid: STRING,
    groups: listOf(STRING),
    extra: mapOf(STRING, listOf(STRING)),
  }),
  dryRun: BOOL,
  options: DYN,
});

/** The `namespaceObject` variable. */
export const NAMESPACE_TYPE: CelType = objectOf('kubernetes.Namespace', {
  metadata: objectOf('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: STRING_MAP,
    annotations: STRING_MAP,
    uid: STRING,
    creationTimestamp: STRING,
    deletionTimestamp: STRING,
    deletionGracePeriodSeconds: simpleType('int'),
    generation: simpleType('int'),
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: objectOf('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: objectOf('kubernetes.NamespaceStatus', { phase: STRING, conditions: listOf(DYN) }),
});
