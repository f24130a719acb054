import type { Cluster } from '@fairway/api/kinds/cluster';
import { Form } from '@patternfly/react-core/dist/esm/components/Form';
import { MaintenanceFields } from '../../cluster/maintenance-fields.tsx';
import { useLocale } from '../../text/settings.ts';
import { fullTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { useNow } from '../../text/when.tsx';
import { SaveRow } from './save-row.tsx';
import { scheduleTexts } from './schedule-texts.ts';
import { useSpecEdit } from './use-spec-edit.ts';

export function MaintenancePanel({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(scheduleTexts);
  const locale = useLocale();
  const now = useNow();
  const edit = useSpecEdit(cluster, 'maintenance');
  const window = cluster.status?.maintenance?.window;
  const isOpen = window !== undefined && Date.parse(window.start) <= now;
  return (
    <Form
      className="fw-panel"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void edit.save();
      }}
    >
      <h2>{say('window.title')}</h2>
      {window !== undefined && (
        <p>
          {isOpen
            ? say('window.open', { time: fullTime(window.end, locale) })
            : say('window.next', { time: fullTime(window.start, locale) })}
        </p>
      )}
      <MaintenanceFields value={edit.value} problemsAt={edit.problemsAt} onChange={(value) => edit.set(value)} />
      <SaveRow cluster={cluster} edit={edit} />
    </Form>
  );
}
