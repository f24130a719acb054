import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { nodePools, plans } from '../../api/resources.ts';
import { useResource } from '../../api/use-resources.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { ChangePreview } from '../../cluster/change-preview.tsx';
import { omitEmpty, type PoolSpec } from '../../cluster/draft.ts';
import { dryRunPatch, EMPTY_RESULT } from '../../cluster/dry-run.ts';
import { Edit } from '../../cluster/edit.ts';
import { mergePatch } from '../../cluster/merge-patch.ts';
import { PoolFields } from '../../cluster/pool-fields.tsx';
import { withoutPools } from '../../cluster/usage.ts';
import { useDryRun } from '../../cluster/use-dry-run.ts';
import { useProfile } from '../../cluster/use-profile.ts';
import { useWrite } from '../../cluster/use-write.ts';
import { useDraft } from '../../session/drafts.ts';
import { useText } from '../../text/use-text.ts';
import { deletePoolAction, nodeLossAction, nodeLossOf } from './actions.ts';
import { PoolFactsPanel } from './pool-facts-panel.tsx';
import { PoolForm } from './pool-form.tsx';
import { poolTexts } from './texts.ts';

export interface EditPoolProps {
  readonly cluster: Cluster;
  readonly pool: NodePool;
}

/** Edits the fields of a pool that users commonly change; concurrent changes to other fields are kept. */
export function EditPool({ cluster, pool }: EditPoolProps) {
  const t = useText(poolTexts);
  const [, navigate] = useLocation();
  const { namespace = '', name = '' } = pool.metadata;
  const plan = useResource(plans, undefined, cluster.spec.plan).object?.spec;
  const cloudOffer = useProfile(namespace, cluster.spec.credentialName);
  const profile = cloudOffer && withoutPools(cloudOffer, [sizeOf(pool)]);
  const {
    value: { initial, edit, spec },
    set,
    discard,
  } = useDraft(
    `pool ${pool.metadata.uid}`,
    (): PoolEdit => ({ initial: pool, edit: new Edit(nodePools, pool), spec: pool.spec }),
    (edited) => patchOf(edited) !== undefined,
  );
  const { spec: before } = initial;
  const patch = patchOf({ initial, spec });
  const body = patch && { spec: patch };
  const asked = useDryRun(body && JSON.stringify(body), (signal) =>
    body === undefined ? Promise.resolve(EMPTY_RESULT) : dryRunPatch(nodePools, { namespace, name }, body, signal),
  );
  const write = useWrite();
  const returnToCluster = `/clusters/${namespace}/${cluster.metadata.name}`;
  const [action, setAction] = useState<Action>();
  const finish = () => {
    discard();
    navigate(returnToCluster);
  };
  const confirmAction = (asked: Action) => setAction({ ...asked, run: () => asked.run().then(() => finish()) });
  const submit = async () => {
    if (body === undefined) return;
    const loss = nodeLossOf(before, spec);
    if (loss !== undefined)
      return confirmAction(nodeLossAction(pool, { loss, patch: body, save: () => edit.save(body) }, t));
    if (await write.run(() => edit.save(body))) finish();
  };
  return (
    <>
      <PoolForm
        spec={spec}
        profile={profile}
        dryRun={body === undefined ? { result: undefined, isAsking: false } : asked}
        write={write}
        button={t('save')}
        isUnchanged={body === undefined}
        back={returnToCluster}
        onSubmit={() => void submit()}
        onCancel={discard}
        footer={<DeletePool pool={pool} onConfirm={confirmAction} />}
      >
        {initial.metadata.generation !== pool.metadata.generation && <p role="status">{t('conflict')}</p>}
        <PoolFields
          id="pool"
          namespace={namespace}
          spec={spec}
          profile={profile ?? {}}
          plan={plan}
          result={body === undefined ? undefined : asked.result}
          isExisting
          onChange={(next) => set((now) => ({ ...now, spec: next }))}
        />
        <PoolFactsPanel pool={pool} />
        <ChangePreview resource={nodePools} stored={pool} patch={body} dryRun={asked} />
      </PoolForm>
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}

interface PoolEdit {
  /** The pool when the edit began; the change is computed relative to it. */
  readonly initial: NodePool;
  readonly edit: Edit<NodePool>;
  readonly spec: PoolSpec;
}

function patchOf({ initial, spec }: Pick<PoolEdit, 'initial' | 'spec'>): object | undefined {
  return mergePatch(omitEmpty(initial.spec), omitEmpty(spec));
}

/** The resources that the pool uses now. */
function sizeOf({ spec, status }: NodePool) {
  const flavor = status?.flavorID ?? spec.flavor;
  return { flavor, nodes: status?.replicas ?? 0, hasFloatingIPs: spec.floatingIPs.enabled };
}

function DeletePool({ pool, onConfirm }: { readonly pool: NodePool; readonly onConfirm: (action: Action) => void }) {
  const t = useText(poolTexts);
  return (
    <section className="fw-step">
      <h2>{t('delete.title')}</h2>
      <p>{t('delete.body', { count: pool.status?.replicas ?? pool.spec.replicas })}</p>
      <div className="fw-actions">
        <Button variant="secondary" isDanger onClick={() => onConfirm(deletePoolAction(pool, t))}>
          {t('delete.do')}
        </Button>
      </div>
    </section>
  );
}
