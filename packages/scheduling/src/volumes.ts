import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from '@fairway/kube/kinds/resources';
import { admitsNode, classOf, findVolume, waitsForFirstConsumer } from './match-volume.ts';
import type { NodeState } from './node-state.ts';
import { claimNamesOf, hasRoomForVolumes } from './volume-limits.ts';

/** The annotation with the first consumer's node, for provisioners. */
export const SELECTED_NODE_ANNOTATION = 'volume.kubernetes.io/selected-node';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** A write to a claim that must happen before its pod is bound. */
export type ClaimStep =
  | { readonly kind: 'reserve'; readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }
  | { readonly kind: 'provision'; readonly claim: PersistentVolumeClaim };

/** The node constraints that a pod's claims impose. */
export class PodVolumes {
  /** Why the pod fits on no node; undefined if it may fit. */
  readonly refusal: string | undefined;
  readonly #boundVolumes: PersistentVolume[] = [];
  readonly #delayedClaims: PersistentVolumeClaim[] = [];
  readonly #reader: Pick<ObjectReader, 'get' | 'list'>;

  readonly #pod: Pod;

  constructor(pod: Pod, reader: Pick<ObjectReader, 'get' | 'list'>) {
    this.#pod = pod;
    this.#reader = reader;
    for (const name of claimNamesOf(pod)) this.refusal ??= this.#add(pod.metadata.namespace ?? '', name);
  }

  /** Why the pod can't run on this node, in kube-scheduler's words. */
  failure(state: NodeState): string | undefined {
    const { node } = state;
    if (!hasRoomForVolumes(this.#pod, state, this.#reader)) return 'node(s) exceed max volume count';
    if (this.#boundVolumes.some((volume) => !admitsNode(volume, node)))
      return 'node(s) had volume node affinity conflict';
    for (const claim of this.#delayedClaims) {
      const selected = claim.metadata.annotations?.[SELECTED_NODE_ANNOTATION];
      if (selected !== undefined && selected !== node.metadata.name) return 'node(s) had volume node affinity conflict';
      if (this.#step(claim, node) === undefined) return "node(s) didn't find available persistent volumes to bind";
    }
    return undefined;
  }

  /** The writes needed to bind the pod to this node; none if all claims are bound. */
  stepsFor(node: Node): ClaimStep[] {
    return this.#delayedClaims.flatMap((claim) => this.#step(claim, node) ?? []);
  }

  #add(namespace: string, name: string): string | undefined {
    const claim = this.#reader.get(PersistentVolumeClaims, namespace, name);
    if (claim === undefined) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName}"`;
    const volume = claim.spec.volumeName ? this.#reader.get(PersistentVolumes, '', claim.spec.volumeName) : undefined;
    if (volume && claim.status?.phase === 'Bound') this.#boundVolumes.push(volume);
    else if (waitsForFirstConsumer(this.#classOf(claim))) this.#delayedClaims.push(claim);
    else return 'pod has unbound immediate PersistentVolumeClaims';
    return undefined;
  }

  #step(claim: PersistentVolumeClaim, node: Node): ClaimStep | undefined {
    const volume = findVolume(claim, this.#reader.list(PersistentVolumes), node);
    if (volume) return { kind: 'reserve', claim, volume };
    const storageClass = this.#classOf(claim);
    if (storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return undefined;
    const topologies = storageClass.allowedTopologies;
    const isAllowed =
      topologies === undefined ||
      topologies.some(({ matchLabelExpressions = [] }) =>
        matchLabelExpressions.every(({ key, values }) => values.includes(node.metadata.labels?.[key] ?? '')),
      );
    return isAllowed ? { kind: 'provision', claim } : undefined;
  }

  #classOf(claim: PersistentVolumeClaim) {
    return this.#reader.get(StorageClasses, '', classOf(claim));
  }
}
