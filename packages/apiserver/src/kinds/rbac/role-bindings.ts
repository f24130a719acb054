import type { RoleRef, Subject } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, RoleBindings } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { dns1123SubdomainErrors, pathSegmentNameErrors } from '@fairway/kube/object/names';
import { setDefaults } from '../defaulting.ts';
import { defineKind, type KindColumn, type KindStrategy } from '../define-kind.ts';
import { invalidName, invalidValue, required, unsupported } from '../field-errors.ts';
import { AGE, text, wide } from '../printing/column.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

interface Binding extends KubeObject {
  roleRef: RoleRef;
  subjects?: Subject[];
}

function subjectErrors(subject: Subject, path: string, isNamespaced: boolean): FieldError[] {
  const { kind, name, namespace, apiGroup = '' } = subject;
  if (!name) return [required(`${path}.name`)];
  switch (kind) {
    case 'ServiceAccount': {
      const errors = invalidName(`${path}.name`, name, dns1123SubdomainErrors(name));
      if (apiGroup !== '') errors.push(unsupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!isNamespaced && !namespace) errors.push(required(`${path}.namespace`));
      return errors;
    }
    case 'User':
    case 'Group':
      return apiGroup === RBAC_GROUP ? [] : [unsupported(`${path}.apiGroup`, apiGroup, [RBAC_GROUP])];
    default:
      return [unsupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

function bindingStrategy(isNamespaced: boolean): KindStrategy<Binding> {
  const roleKinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return {
    nameErrors: pathSegmentNameErrors,
    default({ roleRef, subjects }) {
      if (roleRef) setDefaults(roleRef, { apiGroup: RBAC_GROUP });
      for (const subject of subjects ?? []) {
        if (subject.kind === 'User' || subject.kind === 'Group') setDefaults(subject, { apiGroup: RBAC_GROUP });
      }
    },
    validate({ roleRef, subjects }, old) {
      if (old !== undefined && !jsonEqual(roleRef, old.roleRef)) {
        return [invalidValue('roleRef', roleRef, 'cannot change roleRef')];
      }
      const errors: FieldError[] = [];
      if (roleRef?.apiGroup !== RBAC_GROUP) {
        errors.push(unsupported('roleRef.apiGroup', roleRef?.apiGroup ?? '', [RBAC_GROUP]));
      }
      if (!roleKinds.includes(roleRef?.kind)) errors.push(unsupported('roleRef.kind', roleRef?.kind ?? '', roleKinds));
      if (!roleRef?.name) errors.push(required('roleRef.name'));
      else errors.push(...invalidName('roleRef.name', roleRef.name, pathSegmentNameErrors(roleRef.name)));
      for (const [index, subject] of (subjects ?? []).entries()) {
        errors.push(...subjectErrors(subject, `subjects[${index}]`, isNamespaced));
      }
      return errors;
    },
  };
}

function subjectsOf({ subjects = [] }: Binding, kind: string): string {
  const found = subjects.filter((subject) => subject.kind === kind);
  return found.map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name)).join(', ');
}

const COLUMNS: readonly KindColumn<Binding>[] = [
  text('Role', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  AGE,
  wide(text('Users', (binding) => subjectsOf(binding, 'User'))),
  wide(text('Groups', (binding) => subjectsOf(binding, 'Group'))),
  wide(text('ServiceAccounts', (binding) => subjectsOf(binding, 'ServiceAccount'))),
];

export const RoleBindingKind = defineKind<Binding>(RoleBindings, {
  definition: 'io.k8s.api.rbac.v1.RoleBinding',
  hasGeneration: false,
  strategy: bindingStrategy(true),
  columns: COLUMNS,
});

export const ClusterRoleBindingKind = defineKind<Binding>(ClusterRoleBindings, {
  definition: 'io.k8s.api.rbac.v1.ClusterRoleBinding',
  hasGeneration: false,
  strategy: bindingStrategy(false),
  columns: COLUMNS,
});
