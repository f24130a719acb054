import { Card, CardBody, CardHeader, CardTitle } from '@patternfly/react-core/dist/esm/components/Card';
import { useMemo } from 'react';
import { StateLabel } from '../../app/state-label.tsx';
import { useLocale } from '../../text/settings.ts';
import { useText } from '../../text/use-text.ts';
import { Figures } from '../operator/figures.tsx';
import { CallsChart } from './calls-chart.tsx';
import { failuresOf, latestPace, pacesOf } from './cloud-pace.ts';
import type { CloudReading, Reading } from './cloud-reading.ts';
import { cloudState } from './cloud-state.ts';
import { ListsTable } from './lists-table.tsx';
import { ServicesTable } from './services-table.tsx';
import { cloudsTexts } from './texts.ts';

export interface CloudCardProps {
  readonly name: string;
  readonly reading: CloudReading;
  readonly readings: readonly Reading[];
}

const RECENT_WINDOW_MS = 30_000;
const MINUTE_MS = 60_000;

/** Fairway's calls to a cloud, and their outcomes. */
export function CloudCard({ name, reading, readings }: CloudCardProps) {
  const t = useText(cloudsTexts);
  const locale = useLocale();
  const paces = useMemo(() => pacesOf(readings, name), [readings, name]);
  const recentPace = latestPace(readings, name, RECENT_WINDOW_MS);
  const minute = latestPace(readings, name, MINUTE_MS);
  const state = cloudState(reading, recentPace);
  const failureCount = reading.lists.reduce((sum, list) => sum + list.failing, 0);
  const failed = minute && failuresOf(minute);
  const roundedCalls = (value: number | undefined) =>
    value === undefined ? t('none') : Math.round(value).toLocaleString(locale);
  const calls = minute?.services.reduce((sum, { total }) => sum + total, 0) ?? 0;
  const meanText = minute?.services.reduce((sum, { total, meanMs = 0 }) => sum + (total / calls) * meanMs, 0);
  const ms = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? t('none') : t('ms', { count: Math.round(value) });
  return (
    <Card component="section" aria-labelledby={`cloud-${name}`} isCompact>
      <CardHeader>
        <CardTitle>
          <h2 className="fw-op-card-title">
            <span id={`cloud-${name}`}>{name}</span>
            <StateLabel state={state === 'waiting' ? 'progress' : state}>{t(`state.${state}`)}</StateLabel>
          </h2>
        </CardTitle>
      </CardHeader>
      <CardBody className="fw-op-cloud">
        <Figures
          figures={[
            {
              label: t('figure.calls'),
              value:
                reading.budget === undefined
                  ? roundedCalls(minute?.total)
                  : t('figure.ofBudget', { calls: roundedCalls(minute?.total), budget: reading.budget }),
            },
            { label: t('figure.failed'), value: roundedCalls(failed), isBad: (failed ?? 0) > 0 },
            { label: t('figure.answer'), value: ms(meanText) },
            { label: t('figure.waiting'), value: roundedCalls(reading.waiting), isBad: reading.waiting > 0 },
            { label: t('figure.wait'), value: ms(minute?.meanWaitMs) },
            { label: t('figure.lists'), value: roundedCalls(failureCount), isBad: failureCount > 0 },
          ]}
        />
        <CallsChart paces={paces} />
        <ServicesTable cloud={name} reading={reading} pace={minute} />
        {reading.lists.length > 0 && <ListsTable cloud={name} lists={reading.lists} />}
      </CardBody>
    </Card>
  );
}
