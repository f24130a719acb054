import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { nodePools, plans } from '../../api/resources.ts';
import { useResource } from '../../api/use-resources.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { ChangePreview } from '../../cluster/change-preview.tsx';
import { type PoolSpec, withoutEmpty } from '../../cluster/draft.ts';
import { NOTHING_SAID, tryChange } from '../../cluster/dry-run.ts';
import { Edit } from '../../cluster/edit.ts';
import { mergePatch } from '../../cluster/merge-patch.ts';
import { PoolFields } from '../../cluster/pool-fields.tsx';
import { withoutPools } from '../../cluster/usage.ts';
import { useDryRun } from '../../cluster/use-dry-run.ts';
import { useProfile } from '../../cluster/use-profile.ts';
import { useWrite } from '../../cluster/use-write.ts';
import { useDraft } from '../../session/drafts.ts';
import { useText } from '../../text/use-text.ts';
import { deletingPool, losing, lossOf } from './actions.ts';
import { PoolFactsPanel } from './pool-facts-panel.tsx';
import { PoolForm } from './pool-form.tsx';
import { poolTexts } from './texts.ts';

export interface EditPoolProps {
  readonly cluster: Cluster;
  readonly pool: NodePool;
}

/** Changes what one changes of a pool, and nothing else: whatever others change meanwhile stays. */
export function EditPool({ cluster, pool }: EditPoolProps) {
  const say = useText(poolTexts);
  const [, navigate] = useLocation();
  const { namespace = '', name = '' } = pool.metadata;
  const plan = useResource(plans, undefined, cluster.spec.plan).object?.spec;
  const offer = useProfile(namespace, cluster.spec.credentialName);
  const profile = offer && withoutPools(offer, [sizeOf(pool)]);
  const {
    value: { begun, edit, spec },
    set,
    forget,
  } = useDraft(
    `pool ${pool.metadata.uid}`,
    (): Edited => ({ begun: pool, edit: new Edit(nodePools, pool), spec: pool.spec }),
    (edited) => patchOf(edited) !== undefined,
  );
  const { spec: before } = begun;
  const patch = patchOf({ begun, spec });
  const body = patch && { spec: patch };
  const asked = useDryRun(body && JSON.stringify(body), (signal) =>
    body === undefined ? Promise.resolve(NOTHING_SAID) : tryChange(nodePools, { namespace, name }, body, signal),
  );
  const write = useWrite();
  const back = `/clusters/${namespace}/${cluster.metadata.name}`;
  const [action, setAction] = useState<Action>();
  const finish = () => {
    forget();
    navigate(back);
  };
  const ask = (asked: Action) => setAction({ ...asked, run: () => asked.run().then(() => finish()) });
  const submit = async () => {
    if (body === undefined) return;
    const loss = lossOf(before, spec);
    if (loss !== undefined) return ask(losing(pool, { loss, patch: body, save: () => edit.save(body) }, say));
    if (await write.run(() => edit.save(body))) finish();
  };
  return (
    <>
      <PoolForm
        spec={spec}
        profile={profile}
        asked={body === undefined ? { result: undefined, isAsking: false } : asked}
        write={write}
        button={say('save')}
        isUnchanged={body === undefined}
        back={back}
        onSubmit={() => void submit()}
        onCancel={forget}
        footer={<DeletePool pool={pool} onAsk={ask} />}
      >
        {begun.metadata.generation !== pool.metadata.generation && <p role="status">{say('conflict')}</p>}
        <PoolFields
          id="pool"
          namespace={namespace}
          spec={spec}
          profile={profile ?? {}}
          allowed={plan?.allowed}
          result={body === undefined ? undefined : asked.result}
          isExisting
          onChange={(next) => set((now) => ({ ...now, spec: next }))}
        />
        <PoolFactsPanel pool={pool} />
        <ChangePreview resource={nodePools} stored={pool} patch={body} asked={asked} />
      </PoolForm>
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}

interface Edited {
  /** What it was when one began: a change is told from that. */
  readonly begun: NodePool;
  readonly edit: Edit<NodePool>;
  readonly spec: PoolSpec;
}

function patchOf({ begun, spec }: Pick<Edited, 'begun' | 'spec'>): object | undefined {
  return mergePatch(withoutEmpty(begun.spec), withoutEmpty(spec));
}

/** What the pool takes now. */
function sizeOf({ spec, status }: NodePool) {
  const flavor = status?.flavorID ?? spec.flavor;
  return { flavor, nodes: status?.replicas ?? 0, hasFloatingIPs: spec.floatingIPs.enabled };
}

function DeletePool({ pool, onAsk }: { readonly pool: NodePool; readonly onAsk: (action: Action) => void }) {
  const say = useText(poolTexts);
  return (
    <section className="fw-step">
      <h2>{say('delete.title')}</h2>
      <p>{say('delete.body', { count: pool.status?.replicas ?? pool.spec.replicas })}</p>
      <div className="fw-actions">
        <Button variant="secondary" isDanger onClick={() => onAsk(deletingPool(pool, say))}>
          {say('delete.do')}
        </Button>
      </div>
    </section>
  );
}
