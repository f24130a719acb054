import type { Cluster } from '@fairway/api/kinds/cluster';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { useLocation } from 'wouter';
import { nodePools, plans } from '../../api/resources.ts';
import { useResource, useResources } from '../../api/use-resources.ts';
import { create } from '../../api/write.ts';
import { DEFAULT_NODES, type PoolSpec, poolName, poolOf } from '../../cluster/draft.ts';
import { dryRunCreate } from '../../cluster/dry-run.ts';
import { Field } from '../../cluster/field.tsx';
import { defaultFlavor } from '../../cluster/flavors.ts';
import { PoolFields } from '../../cluster/pool-fields.tsx';
import { problemsAt } from '../../cluster/problems.ts';
import { partTexts } from '../../cluster/texts.ts';
import { useDryRun } from '../../cluster/use-dry-run.ts';
import { useProfile } from '../../cluster/use-profile.ts';
import { useWrite } from '../../cluster/use-write.ts';
import { YamlView } from '../../cluster/yaml-view.tsx';
import { useDraft } from '../../session/drafts.ts';
import { useText } from '../../text/use-text.ts';
import { PoolForm } from './pool-form.tsx';
import { poolTexts } from './texts.ts';

export function NewPool({ cluster }: { readonly cluster: Cluster }) {
  const t = useText(poolTexts);
  const tPart = useText(partTexts);
  const [, navigate] = useLocation();
  const { namespace = '', name: clusterName = '' } = cluster.metadata;
  const plan = useResource(plans, undefined, cluster.spec.plan).object?.spec;
  const profile = useProfile(namespace, cluster.spec.credentialName);
  const { items } = useResources(nodePools, { namespace });
  const {
    value: written,
    set: setUserInput,
    discard,
  } = useDraft<{ readonly name?: string; readonly spec?: PoolSpec }>(
    `new pool ${namespace}/${clusterName}`,
    () => ({}),
    () => true,
  );
  const names = new Set(items.map(({ metadata }) => metadata.name));
  const name = written.name ?? unusedName(clusterName, names);
  const flavor = defaultFlavor(profile?.flavors ?? [], plan?.allowed)?.name ?? '';
  const spec: PoolSpec = written.spec ?? { flavor, replicas: DEFAULT_NODES };
  const pool = poolOf(clusterName, name, spec, namespace);
  const dryRun = useDryRun(JSON.stringify(pool), (signal) => dryRunCreate(nodePools, pool, signal));
  const write = useWrite();
  const back = `/clusters/${namespace}/${clusterName}`;
  const submit = async () => {
    if (!(await write.run(() => create(nodePools, pool)))) return;
    discard();
    navigate(back);
  };
  return (
    <PoolForm
      spec={spec}
      profile={profile}
      dryRun={dryRun}
      write={write}
      button={t('add')}
      back={back}
      yaml={<YamlView objects={[pool]} />}
      onSubmit={() => void submit()}
      onCancel={discard}
    >
      <Field
        id="pool-name"
        label={tPart('pool.name')}
        help={tPart('pool.name.help')}
        problems={problemsAt(dryRun.result?.problems, 'metadata.name')}
      >
        {(input) => (
          <TextInput
            {...input}
            value={name}
            autoCapitalize="none"
            spellCheck={false}
            onChange={(_event, next) => setUserInput((now) => ({ ...now, name: next }))}
          />
        )}
      </Field>
      <PoolFields
        id="pool"
        namespace={namespace}
        spec={spec}
        profile={profile ?? {}}
        plan={plan}
        result={dryRun.result}
        onChange={(next) => setUserInput((now) => ({ ...now, spec: next }))}
      />
    </PoolForm>
  );
}

/** The first unused name. */
function unusedName(clusterName: string, taken: ReadonlySet<string | undefined>): string {
  for (let index = 0; ; index++) {
    const name = poolName({ name: clusterName }, index);
    if (!taken.has(name)) return name;
  }
}
