import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Form } from '@patternfly/react-core/dist/esm/components/Form';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { useId, useState } from 'react';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { Field } from '../../cluster/field.tsx';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { ExcludedNote } from '../../limits/limit-note.tsx';
import { useFeatureLimit } from '../../limits/use-feature-limit.ts';
import { useRelativeTime } from '../../text/relative-time.tsx';
import { browserTimeZone } from '../../text/time-zone.ts';
import { useText } from '../../text/use-text.ts';
import { hibernateAction } from './actions.ts';
import { hibernate, isHibernating } from './hibernate.ts';
import { SaveRow } from './save-row.tsx';
import { scheduleTexts } from './schedule-texts.ts';
import { clusterTexts } from './texts.ts';
import { useSpecEdit } from './use-spec-edit.ts';

type Schedule = NonNullable<NonNullable<ClusterSpec['hibernation']>['schedules']>[number];

const DEFAULT_SCHEDULE = { hibernate: '0 20 * * 1-5', wake: '0 7 * * 1-5' };

export function HibernationPanel({ cluster }: { readonly cluster: Cluster }) {
  const t = useText(scheduleTexts);
  const tCluster = useText(clusterTexts);
  const [action, setAction] = useState<Action>();
  const { run, isRunning, failure } = useWrite();
  const edit = useSpecEdit(cluster, 'hibernation');
  const isHibernated = isHibernating(cluster);
  const limit = useFeatureLimit(cluster, 'Hibernation');
  const isRefused = limit?.isRefused === true;
  const schedules = edit.value?.schedules ?? [];
  const setSchedules = (next: readonly Schedule[]) => edit.set({ ...edit.value, schedules: [...next] });
  return (
    <>
      <Form
        className="fw-panel"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void edit.save();
        }}
      >
        <h2>{t('rest.title')}</h2>
        <p>{t('rest.body')}</p>
        {limit && (
          <p>
            <ExcludedNote limit={limit} />
          </p>
        )}
        <p>
          {t(isHibernated ? 'rest.asleep' : 'rest.awake')} <NextTimes cluster={cluster} />
        </p>
        <div className="fw-actions">
          <Button
            variant={isHibernated ? 'primary' : 'secondary'}
            isLoading={isRunning}
            isDisabled={isRunning || (isRefused && !isHibernated)}
            onClick={() =>
              isHibernated ? void run(() => hibernate(cluster, false)) : setAction(hibernateAction(cluster, tCluster))
            }
          >
            {t(isHibernated ? 'rest.wake' : 'rest.hibernate')}
          </Button>
        </div>
        <WriteFailure failure={failure} />
        <h3>{t('rest.schedules')}</h3>
        {schedules.length === 0 && <p className="fw-quiet">{t('rest.schedule.none')}</p>}
        {schedules.map((schedule, index) => (
          <ScheduleFields
            // Schedules have no names: the index is the key.
            key={`schedule ${index}`}
            schedule={schedule}
            problems={edit.problemsAt(`spec.hibernation.schedules[${index}]`)}
            onChange={(next) => setSchedules(schedules.map((each, at) => (at === index ? next : each)))}
            onRemove={() => setSchedules(schedules.filter((_each, at) => at !== index))}
          />
        ))}
        <div>
          <Button
            variant="link"
            isInline
            isDisabled={isRefused}
            onClick={() => setSchedules([...schedules, { ...DEFAULT_SCHEDULE, timeZone: browserTimeZone() }])}
          >
            {t('rest.add')}
          </Button>
        </div>
        <SaveRow cluster={cluster} edit={edit} />
      </Form>
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}

function NextTimes({ cluster }: { readonly cluster: Cluster }) {
  const t = useText(scheduleTexts);
  const next = cluster.status?.hibernation?.next;
  const nextHibernation = useRelativeTime(next?.hibernate, 'future');
  const nextWake = useRelativeTime(next?.wake, 'future');
  return (
    <>
      {nextHibernation !== '' && t('rest.next.hibernate', { when: nextHibernation })}{' '}
      {nextWake !== '' && t('rest.next.wake', { when: nextWake })}
    </>
  );
}

interface ScheduleFieldsProps {
  readonly schedule: Schedule;
  readonly problems: readonly string[];
  readonly onChange: (schedule: Schedule) => void;
  readonly onRemove: () => void;
}

function ScheduleFields({ schedule, problems, onChange, onRemove }: ScheduleFieldsProps) {
  const t = useText(scheduleTexts);
  const id = useId();
  const times = { hibernate: '20:00', wake: '7:00' };
  return (
    <div className="fw-row fw-row-end">
      {(['hibernate', 'wake'] as const).map((scheduleAction) => (
        <Field
          key={scheduleAction}
          id={`${id}-${scheduleAction}`}
          label={t(`rest.at.${scheduleAction}`)}
          help={t('rest.cron.help', { example: `“${DEFAULT_SCHEDULE[scheduleAction]}”`, time: times[scheduleAction] })}
          problems={scheduleAction === 'hibernate' ? problems : []}
        >
          {(input) => (
            <TextInput
              {...input}
              value={schedule[scheduleAction] ?? ''}
              spellCheck={false}
              onChange={(_event, cron) => onChange({ ...schedule, [scheduleAction]: cron === '' ? undefined : cron })}
            />
          )}
        </Field>
      ))}
      <Field id={`${id}-zone`} label={t('rest.zone')}>
        {(input) => (
          <TextInput
            {...input}
            value={schedule.timeZone ?? 'UTC'}
            spellCheck={false}
            onChange={(_event, timeZone) => onChange({ ...schedule, timeZone })}
          />
        )}
      </Field>
      <Button variant="link" isDanger isInline onClick={onRemove}>
        {t('rest.remove')}
      </Button>
    </div>
  );
}
