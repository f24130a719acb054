import {
  ANNOTATED_INGRESS_CLASSES,
  INGRESS_CLASS_ANNOTATION,
  OCTAVIA_CLASS,
  OCTAVIA_CONTROLLER,
} from '@fairway/api/domain/octavia-class';
import type { FeatureName } from '@fairway/api/kinds/plan-limits';
import { featureExcess, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import { CINDER_DRIVER, MANILA_DRIVER, NFS_MANILA_DRIVER } from '@fairway/kube/kinds/csi-source';
import { celList, celString, type LimitRule, newlyBeyond, type RuleTarget } from './limit-rule.ts';

interface FeatureUse {
  readonly feature: FeatureName;
  readonly target: Omit<RuleTarget, 'operations'>;
  /** A CEL expression: whether an object uses the feature. */
  readonly isUse: (object: string) => string;
}

const SHARE_DRIVERS = [MANILA_DRIVER, NFS_MANILA_DRIVER];

const USES: readonly FeatureUse[] = [
  {
    feature: 'Ingresses',
    target: { group: 'networking.k8s.io', version: '*', plural: 'ingresses' },
    isUse(object) {
      const annotations = `${object}.metadata.annotations`;
      const key = celString(INGRESS_CLASS_ANNOTATION);
      const isAnnotated = `has(${annotations}) && ${key} in ${annotations} && ${annotations}[${key}] in ${celList(ANNOTATED_INGRESS_CLASSES)}`;
      const className = `${object}.spec.ingressClassName`;
      return `has(${className}) ? ${className} == ${celString(OCTAVIA_CLASS)} : ${isAnnotated}`;
    },
  },
  {
    feature: 'Ingresses',
    target: { group: 'networking.k8s.io', version: '*', plural: 'ingressclasses' },
    isUse: (object) => isEqual(`${object}.spec.controller`, OCTAVIA_CONTROLLER),
  },
  {
    feature: 'Gateways',
    target: { group: 'gateway.networking.k8s.io', version: '*', plural: 'gateways' },
    isUse: (object) => isEqual(`${object}.spec.gatewayClassName`, OCTAVIA_CLASS),
  },
  {
    feature: 'Gateways',
    target: { group: 'gateway.networking.k8s.io', version: '*', plural: 'gatewayclasses' },
    isUse: (object) => isEqual(`${object}.spec.controllerName`, OCTAVIA_CONTROLLER),
  },
  {
    feature: 'Shares',
    target: { group: 'storage.k8s.io', version: '*', plural: 'storageclasses' },
    isUse: (object) => `has(${object}.provisioner) && ${object}.provisioner in ${celList(SHARE_DRIVERS)}`,
  },
  {
    feature: 'Shares',
    target: { group: '', version: 'v1', plural: 'persistentvolumes' },
    isUse: (object) => `has(${object}.spec.csi) && ${object}.spec.csi.driver in ${celList(SHARE_DRIVERS)}`,
  },
  {
    feature: 'VolumeSnapshots',
    target: { group: 'snapshot.storage.k8s.io', version: '*', plural: 'volumesnapshots' },
    isUse: (object) => `has(${object}.spec)`,
  },
  {
    feature: 'VolumeSnapshots',
    target: { group: 'snapshot.storage.k8s.io', version: '*', plural: 'volumesnapshotcontents' },
    isUse: (object) => isEqual(`${object}.spec.driver`, CINDER_DRIVER),
  },
];

/** The features that the plan excludes and that objects in the cluster use. */
export function featureRules(limits: InClusterLimits): readonly LimitRule[] {
  return USES.flatMap(({ feature, target, isUse }): LimitRule[] => {
    const excess = featureExcess(limits, feature);
    if (excess === undefined) return [];
    return [{ excess, target: { ...target, operations: ['CREATE', 'UPDATE'] }, violation: newlyBeyond(isUse) }];
  });
}

function isEqual(field: string, text: string): string {
  return `has(${field}) && ${field} == ${celString(text)}`;
}
