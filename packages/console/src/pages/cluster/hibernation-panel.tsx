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
import { ownTimeZone } from '../../text/time-zone.ts';
import { useText } from '../../text/use-text.ts';
import { useRelativeTime } from '../../text/when.tsx';
import { hibernating } from './actions.ts';
import { hibernate, isHibernating } from './hibernate.ts';
import { SaveRow } from './save-row.tsx';
import { scheduleTexts } from './schedule-texts.ts';
import { clusterTexts } from './texts.ts';
import { useSpecEdit } from './use-spec-edit.ts';

type Schedule = NonNullable<NonNullable<ClusterSpec['hibernation']>['schedules']>[number];

const FIRST = { hibernate: '0 20 * * 1-5', wake: '0 7 * * 1-5' };

export function HibernationPanel({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(scheduleTexts);
  const sayCluster = useText(clusterTexts);
  const [action, setAction] = useState<Action>();
  const { run, isRunning, failure } = useWrite();
  const edit = useSpecEdit(cluster, 'hibernation');
  const isAsleep = isHibernating(cluster);
  const schedules = edit.value?.schedules ?? [];
  const set = (next: readonly Schedule[]) => edit.set({ ...edit.value, schedules: [...next] });
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
        <h2>{say('rest.title')}</h2>
        <p>{say('rest.body')}</p>
        <p>
          {say(isAsleep ? 'rest.asleep' : 'rest.awake')} <Next cluster={cluster} />
        </p>
        <div className="fw-actions">
          <Button
            variant={isAsleep ? 'primary' : 'secondary'}
            isLoading={isRunning}
            isDisabled={isRunning}
            onClick={() =>
              isAsleep ? void run(() => hibernate(cluster, false)) : setAction(hibernating(cluster, sayCluster))
            }
          >
            {say(isAsleep ? 'rest.wake' : 'rest.hibernate')}
          </Button>
        </div>
        <WriteFailure failure={failure} />
        <h3>{say('rest.schedules')}</h3>
        {schedules.length === 0 && <p className="fw-quiet">{say('rest.schedule.none')}</p>}
        {schedules.map((schedule, index) => (
          <ScheduleFields
            // Schedules have no names: one is what is at its place.
            key={`schedule ${index}`}
            schedule={schedule}
            problems={edit.problemsAt(`spec.hibernation.schedules[${index}]`)}
            onChange={(next) => set(schedules.map((each, at) => (at === index ? next : each)))}
            onRemove={() => set(schedules.filter((_each, at) => at !== index))}
          />
        ))}
        <div>
          <Button variant="link" isInline onClick={() => set([...schedules, { ...FIRST, timeZone: ownTimeZone() }])}>
            {say('rest.add')}
          </Button>
        </div>
        <SaveRow cluster={cluster} edit={edit} />
      </Form>
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}

function Next({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(scheduleTexts);
  const next = cluster.status?.hibernation?.next;
  const hibernates = useRelativeTime(next?.hibernate, 'future');
  const wakes = useRelativeTime(next?.wake, 'future');
  return (
    <>
      {hibernates !== '' && say('rest.next.hibernate', { when: hibernates })}{' '}
      {wakes !== '' && say('rest.next.wake', { when: wakes })}
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
  const say = useText(scheduleTexts);
  const id = useId();
  const times = { hibernate: '20:00', wake: '7:00' };
  return (
    <div className="fw-row fw-row-end">
      {(['hibernate', 'wake'] as const).map((what) => (
        <Field
          key={what}
          id={`${id}-${what}`}
          label={say(`rest.at.${what}`)}
          help={say('rest.cron.help', { example: `“${FIRST[what]}”`, time: times[what] })}
          problems={what === 'hibernate' ? problems : []}
        >
          {(input) => (
            <TextInput
              {...input}
              value={schedule[what] ?? ''}
              spellCheck={false}
              onChange={(_event, cron) => onChange({ ...schedule, [what]: cron === '' ? undefined : cron })}
            />
          )}
        </Field>
      ))}
      <Field id={`${id}-zone`} label={say('rest.zone')}>
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
        {say('rest.remove')}
      </Button>
    </div>
  );
}
