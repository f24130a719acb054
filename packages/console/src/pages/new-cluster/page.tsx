import { Breadcrumb, BreadcrumbItem } from '@patternfly/react-core/dist/esm/components/Breadcrumb';
import { ExpandableSection } from '@patternfly/react-core/dist/esm/components/ExpandableSection';
import { Form } from '@patternfly/react-core/dist/esm/components/Form';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { useDraft } from '../../session/drafts.ts';
import '../../cluster/cluster.css';
import { type ReactNode, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Failure } from '../../api/failure.ts';
import { cloudCredentials, cloudProfiles, kubernetesReleases, plans } from '../../api/resources.ts';
import { useResource, useResources } from '../../api/use-resources.ts';
import { OutdatedNotice } from '../../app/outdated-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { shellTexts } from '../../app/shell/texts.ts';
import { beginCreation } from '../../cluster/creation.ts';
import { DelegationNotice } from '../../cluster/delegation-notice.tsx';
import { type ClusterDraft, type ClusterSpec, DEFAULT_NODES, type PoolDraft } from '../../cluster/draft.ts';
import { Field } from '../../cluster/field.tsx';
import { defaultFlavor } from '../../cluster/flavors.ts';
import { POOL_FIELDS } from '../../cluster/pool-fields.tsx';
import { problemsAt, problemsElsewhere, warningsAt, warningsElsewhere } from '../../cluster/problems.ts';
import { useDryRun } from '../../cluster/use-dry-run.ts';
import { useProfile } from '../../cluster/use-profile.ts';
import { PlanLimitsPanel } from '../../limits/plan-limits-panel.tsx';
import { useSession } from '../../session/session.ts';
import { useNow } from '../../text/relative-time.tsx';
import { useText } from '../../text/use-text.ts';
import { CredentialSection } from './credential-section.tsx';
import { dryRunDraft, problemCount } from './dry-run-draft.ts';
import { NetworkSection } from './network-section.tsx';
import { NodesSection } from './nodes-section.tsx';
import { offeredVersions } from './offered-versions.ts';
import { OptionsSection } from './options-section.tsx';
import { PlanSection } from './plan-section.tsx';
import { Summary } from './summary.tsx';
import { newClusterTexts } from './texts.ts';
import { VersionSection } from './version-section.tsx';

/** Fields of the Cluster that the page displays messages for. */
const FORM_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'spec.credentialName',
  'spec.plan',
  'spec.version',
  'spec.updatePolicy',
  'spec.network.networkID',
  'spec.network.subnetID',
  'spec.network.nodesCIDR',
  'spec.apiServer',
  'spec.cni',
  'spec.maintenance',
];

/** Creates a cluster: only a name is required, and the API's messages appear at each field. */
export function Page() {
  const t = useText(newClusterTexts);
  const tShell = useText(shellTexts);
  usePageTitle(t('title'));
  const session = useSession();
  const now = useNow();
  const [, navigate] = useLocation();
  const [typedNamespace, setTypedNamespace] = useState('default');
  const namespace = session.namespace ?? typedNamespace;
  const planSnapshot = useResources(plans);
  const offeredPlans = planSnapshot.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const releaseSnapshot = useResources(kubernetesReleases);
  const releases = releaseSnapshot.items;
  const credentialSnapshot = useResources(cloudCredentials, { namespace });
  const { items: credentials, isComplete: areCredentialsKnown } = credentialSnapshot;
  const profileSnapshot = useResources(cloudProfiles, { namespace });
  const ownCloud = useResource(cloudProfiles, namespace, 'default');
  const {
    value: written,
    set: setUserInput,
    discard,
  } = useDraft<NewClusterInput>(
    `new cluster ${session.namespace}`,
    () => EMPTY_INPUT,
    () => true,
  );
  const [isCreating, setIsCreating] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [addsCredential, setAddsCredential] = useState(false);
  const attempt = useRef<string>(undefined);

  const planName = written.spec.plan ?? firstPlan(offeredPlans.map(({ metadata }) => metadata.name ?? ''));
  // A project without an assigned cloud needs a credential.
  const credentialName =
    written.spec.credentialName ?? (ownCloud.isMissing ? credentials[0]?.metadata.name : undefined);
  const credential = credentials.find(({ metadata }) => metadata.name === credentialName);
  const isWithoutCloud = ownCloud.isMissing && areCredentialsKnown && credentials.length === 0;
  const canAddCredential = !isWithoutCloud && !addsCredential && session.kind === 'keystone';
  const profile = useProfile(namespace, credentialName);
  const plan = offeredPlans.find(({ metadata }) => metadata.name === planName)?.spec;
  const newPool = (): PoolDraft => ({
    key: `pool-${crypto.randomUUID().slice(0, 8)}`,
    name: undefined,
    spec: { flavor: defaultFlavor(profile?.flavors ?? [], plan?.allowed)?.name ?? '', replicas: DEFAULT_NODES },
  });
  const firstPool: PoolDraft = { ...newPool(), key: 'pool' };
  const draft: ClusterDraft = {
    name: written.name,
    spec: { ...written.spec, plan: planName, credentialName },
    pools: written.pools ?? [firstPool],
  };
  const { result, isAsking } = useDryRun(
    // The API's validation depends on what Fairway knows about the credential.
    draft.name === '' ? undefined : JSON.stringify([draft, namespace, credential?.status?.conditions]),
    (signal) => dryRunDraft(draft, namespace, signal),
  );
  const validatedResult = draft.name === '' ? undefined : result;
  const at = (...fields: readonly string[]) => problemsAt(validatedResult?.cluster.problems, ...fields);
  const changeSpec = (part: Partial<ClusterSpec>) =>
    setUserInput((now) => ({ ...now, spec: { ...now.spec, ...part } }));
  const nodes = draft.pools.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);

  const submit = async () => {
    if (isCreating) return;
    if (draft.name === '') return document.getElementById('name')?.focus();
    setIsCreating(true);
    setFailure(undefined);
    attempt.current ??= crypto.randomUUID();
    try {
      await beginCreation(draft, namespace, attempt.current, localStorage);
      discard();
      navigate(`/clusters/${namespace}/${draft.name}`);
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)));
      setIsCreating(false);
    }
  };

  return (
    <>
      <PageSection>
        <Breadcrumb>
          <BreadcrumbItem
            render={({ className }) => (
              <Link href="/" className={className}>
                {tShell('nav.clusters')}
              </Link>
            )}
          />
          <BreadcrumbItem isActive>{t('title')}</BreadcrumbItem>
        </Breadcrumb>
        <Title headingLevel="h1">{t('title')}</Title>
        <p className="fw-quiet">{t('intro')}</p>
        <OutdatedNotice of={[planSnapshot, releaseSnapshot, credentialSnapshot, profileSnapshot]} />
      </PageSection>
      <PageSection>
        <Form
          className="fw-new-cluster"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <div className="fw-steps">
            <Step number={1} title={t('step.name')}>
              {session.namespace === undefined && (
                <Field id="namespace" label={t('namespace')} problems={at('metadata.namespace')}>
                  {(input) => (
                    <TextInput {...input} value={typedNamespace} onChange={(_event, next) => setTypedNamespace(next)} />
                  )}
                </Field>
              )}
              <Field id="name" label={t('name')} isRequired help={t('name.help')} problems={at('metadata.name')}>
                {(input) => (
                  <TextInput
                    {...input}
                    className="fw-short"
                    value={draft.name}
                    isRequired
                    autoFocus
                    autoComplete="off"
                    autoCapitalize="none"
                    spellCheck={false}
                    onChange={(_event, name) => setUserInput((now) => ({ ...now, name }))}
                  />
                )}
              </Field>
              {areCredentialsKnown && (
                <DelegationNotice
                  key={namespace}
                  namespace={namespace}
                  credentials={credentials}
                  isAsking={isWithoutCloud || addsCredential}
                  isOptional={!isWithoutCloud}
                  onGranted={(newDelegation) => {
                    changeSpec({ credentialName: newDelegation });
                    setAddsCredential(false);
                  }}
                />
              )}
              <PlanSection
                plans={offeredPlans}
                isKnown={planSnapshot.isComplete}
                value={planName}
                problems={at('spec.plan')}
                onChange={(next) => changeSpec({ plan: next })}
              />
              {plan && <PlanLimitsPanel plan={plan} />}
              <CredentialSection
                credentials={credentials}
                hasOwnCloud={!ownCloud.isMissing}
                value={credentialName}
                problems={at('spec.credentialName')}
                onChange={(next) => changeSpec({ credentialName: next })}
                onAddCredential={canAddCredential ? () => setAddsCredential(true) : undefined}
              />
            </Step>
            <Step number={2} title={t('step.version')}>
              <VersionSection
                offeredVersions={offeredVersions(releases, plan, now)}
                spec={draft.spec}
                problems={at('spec.version')}
                warnings={warningsAt(validatedResult?.cluster.warnings, 'spec.version')}
                policyProblems={at('spec.updatePolicy')}
                onChange={changeSpec}
              />
            </Step>
            <Step number={3} title={t('step.network')}>
              <NetworkSection
                spec={draft.spec.network ?? {}}
                networks={profile?.networks}
                nodesCIDR={plan?.network.nodesCIDR}
                nodes={nodes}
                problemsAt={at}
                onChange={(network) => changeSpec({ network })}
              />
            </Step>
            <Step number={4} title={t('step.nodes')}>
              <NodesSection
                namespace={namespace}
                draft={draft}
                profile={profile ?? {}}
                plan={plan}
                results={validatedResult?.pools ?? []}
                onChange={(pools) => setUserInput((now) => ({ ...now, pools }))}
                onAdd={() => setUserInput((now) => ({ ...now, pools: [...draft.pools, newPool()] }))}
              />
            </Step>
            <Step number={5} title={t('step.options')} collapsedText={t('options.intro')}>
              <OptionsSection spec={draft.spec} plan={plan} problemsAt={at} onChange={changeSpec} />
            </Step>
          </div>
          <Summary
            draft={draft}
            namespace={namespace}
            profile={profile}
            problemCount={validatedResult && problemCount(validatedResult)}
            isAsking={isAsking}
            isCreating={isCreating}
            failure={failure}
            problemsElsewhere={validatedResult === undefined ? [] : unassignedProblems(validatedResult)}
            onCancel={discard}
          />
        </Form>
      </PageSection>
    </>
  );
}

/** The user's input; other fields follow the API's defaults. */
interface NewClusterInput {
  readonly name: string;
  readonly spec: ClusterSpec;
  readonly pools: readonly PoolDraft[] | undefined;
}

const EMPTY_INPUT: NewClusterInput = { name: '', spec: {}, pools: undefined };

/** The API's own default, if that plan exists. */
function firstPlan(names: readonly string[]): string {
  return names.includes('free') ? 'free' : (names.toSorted()[0] ?? '');
}

/** Messages about fields that are not displayed, and messages without a field. */
function unassignedProblems({ cluster, pools }: Awaited<ReturnType<typeof dryRunDraft>>): readonly string[] {
  const parts = [
    { result: cluster, shown: FORM_FIELDS },
    ...pools.map((result) => ({ result, shown: [...POOL_FIELDS] })),
  ];
  const all = parts.flatMap(({ result, shown }) => [
    ...problemsElsewhere(result.problems, shown).map(({ field, message }) =>
      field === '' ? message : `${field}: ${message}`,
    ),
    ...warningsElsewhere(result.warnings, shown),
  ]);
  return [...new Set(all)];
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  /** Collapsed initially; then only this text is displayed. */
  readonly collapsedText?: string;
  readonly children: ReactNode;
}

function Step({ number, title, collapsedText, children }: StepProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  return (
    <section className="fw-step" aria-labelledby={`step-${number}`}>
      <h2 id={`step-${number}`}>
        <span aria-hidden="true">{number}</span>
        {title}
      </h2>
      {collapsedText === undefined ? (
        children
      ) : (
        <ExpandableSection
          toggleText={collapsedText}
          isExpanded={isExpanded}
          onToggle={(_event, next) => setIsExpanded(next)}
        >
          <div className="fw-step-body">{children}</div>
        </ExpandableSection>
      )}
    </section>
  );
}
