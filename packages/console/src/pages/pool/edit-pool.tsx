import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { nodePools, plans } from '../../api/resources.ts';
import { useResource } from '../../api/use-resources.ts';
import { change, remove } from '../../api/write.ts';
import { ChangePreview } from '../../cluster/change-preview.tsx';
import { type PoolSpec, withoutEmpty } from '../../cluster/draft.ts';
import { NOTHING_SAID, tryChange } from '../../cluster/dry-run.ts';
import { mergePatch } from '../../cluster/merge-patch.ts';
import { PoolFields } from '../../cluster/pool-fields.tsx';
import { withoutPools } from '../../cluster/usage.ts';
import { useProfile } from '../../cluster/use-profile.ts';
import { useVerdict } from '../../cluster/use-verdict.ts';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useText } from '../../text/use-text.ts';
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
  // What it was when one began: a change is told from that.
  const [{ spec: before, generation }] = useState({ spec: pool.spec, generation: pool.metadata.generation });
  const [spec, setSpec] = useState<PoolSpec>(before);
  const patch = mergePatch(withoutEmpty(before), withoutEmpty(spec));
  const body = patch && { spec: patch };
  const asked = useVerdict(body && JSON.stringify(body), (signal) =>
    body === undefined ? Promise.resolve(NOTHING_SAID) : tryChange(nodePools, { namespace, name }, body, signal),
  );
  const write = useWrite();
  const back = `/clusters/${namespace}/${cluster.metadata.name}`;
  const submit = async () => {
    if (body !== undefined && (await write.run(() => change(nodePools, { namespace, name }, body)))) navigate(back);
  };
  return (
    <PoolForm
      spec={spec}
      profile={profile}
      asked={body === undefined ? { verdict: undefined, isAsking: false } : asked}
      write={write}
      button={say('save')}
      isUnchanged={body === undefined}
      back={back}
      onSubmit={() => void submit()}
      footer={<DeletePool pool={pool} back={back} />}
    >
      {generation !== pool.metadata.generation && <p role="status">{say('conflict')}</p>}
      <PoolFields
        id="pool"
        namespace={namespace}
        spec={spec}
        profile={profile ?? {}}
        allowed={plan?.allowed}
        verdict={body === undefined ? undefined : asked.verdict}
        isExisting
        onChange={setSpec}
      />
      <ChangePreview resource={nodePools} stored={pool} patch={body} asked={asked} />
    </PoolForm>
  );
}

/** What the pool takes now. */
function sizeOf({ spec, status }: NodePool) {
  const flavor = status?.flavorID ?? spec.flavor;
  return { flavor, nodes: status?.replicas ?? 0, hasFloatingIPs: spec.floatingIPs.enabled };
}

function DeletePool({ pool, back }: { readonly pool: NodePool; readonly back: string }) {
  const say = useText(poolTexts);
  const [, navigate] = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  const { run, isRunning, failure } = useWrite();
  const submit = async () => {
    if (await run(() => remove(nodePools, pool))) navigate(back);
  };
  return (
    <section className="fw-step">
      <h2>{say('delete.title')}</h2>
      <p>{say('delete.body', { count: pool.status?.replicas ?? pool.spec.replicas })}</p>
      <WriteFailure failure={failure} />
      <div className="fw-actions">
        {isAsking ? (
          <>
            <Button variant="danger" isDisabled={isRunning} onClick={() => void submit()}>
              {say('delete.sure', { name: pool.metadata.name ?? '' })}
            </Button>
            <Button variant="link" onClick={() => setIsAsking(false)}>
              {say('delete.no')}
            </Button>
          </>
        ) : (
          <Button variant="secondary" isDanger onClick={() => setIsAsking(true)}>
            {say('delete.do')}
          </Button>
        )}
      </div>
    </section>
  );
}
