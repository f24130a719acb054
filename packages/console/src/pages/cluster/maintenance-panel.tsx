import type { Cluster } from '@fairway/api/kinds/cluster';
import { Form } from '@patternfly/react-core/dist/esm/components/Form';
import { MaintenanceFields } from '../../cluster/maintenance-fields.tsx';
import { useNow } from '../../text/relative-time.tsx';
import { useLocale } from '../../text/settings.ts';
import { fullTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { SaveRow } from './save-row.tsx';
import { scheduleTexts } from './schedule-texts.ts';
import { useSpecEdit } from './use-spec-edit.ts';

export function MaintenancePanel({ cluster }: { readonly cluster: Cluster }) {
  const t = useText(scheduleTexts);
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
      <h2>{t('window.title')}</h2>
      {window !== undefined && (
        <p>
          {isOpen
            ? t('window.open', { time: fullTime(window.end, locale) })
            : t('window.next', { time: fullTime(window.start, locale) })}
        </p>
      )}
      <MaintenanceFields value={edit.value} problemsAt={edit.problemsAt} onChange={(value) => edit.set(value)} />
      <SaveRow cluster={cluster} edit={edit} />
    </Form>
  );
}
