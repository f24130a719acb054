import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useLocale } from '../../text/settings.ts';
import { useText } from '../../text/use-text.ts';
import type { CloudPace } from './cloud-pace.ts';
import { CALL_OUTCOMES, type CloudReading } from './cloud-reading.ts';
import { cloudsTexts } from './texts.ts';

export interface ServicesTableProps {
  readonly cloud: string;
  readonly reading: CloudReading;
  readonly pace: CloudPace | undefined;
}

/** Calls by service and outcome: in the last minute, and since the replica's start. */
export function ServicesTable({ cloud, reading, pace }: ServicesTableProps) {
  const t = useText(cloudsTexts);
  const locale = useLocale();
  const number = (value: number | undefined) =>
    value === undefined ? t('none') : Math.round(value).toLocaleString(locale);
  return (
    // Focusable, so that the keyboard can scroll it on a narrow screen. oxlint-disable-next-line
    // jsx-a11y/no-noninteractive-tabindex
    <section className="fw-op-scroll" aria-label={t('table.label', { cloud })} tabIndex={0}>
      <Table aria-label={t('table.label', { cloud })} variant="compact" gridBreakPoint="" className="fw-op-numbers">
        <Thead>
          <Tr>
            <Th modifier="wrap">{t('column.service')}</Th>
            <Th modifier="wrap">{t('column.calls')}</Th>
            {CALL_OUTCOMES.map((outcome) => (
              <Th key={outcome} modifier="wrap">
                {t(`answer.${outcome}`)}
              </Th>
            ))}
            <Th modifier="wrap">{t('column.mean')}</Th>
            <Th modifier="wrap">{t('column.retries')}</Th>
            <Th modifier="wrap">{t('column.total')}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {[...reading.services]
            .sort(([a], [b]) => a.localeCompare(b))
            .map(([service, { calls }]) => {
              const servicePace = pace?.services.find((each) => each.service === service);
              const total = CALL_OUTCOMES.reduce((sum, outcome) => sum + calls[outcome], 0);
              return (
                <Tr key={service}>
                  <Td>{service}</Td>
                  <Td>{number(servicePace?.total)}</Td>
                  {CALL_OUTCOMES.map((outcome) => {
                    const isBad =
                      (outcome === 'failed' || outcome === 'silent') && (servicePace?.calls[outcome] ?? 0) > 0;
                    return (
                      <Td key={outcome}>
                        <span className={isBad ? 'fw-op-bad' : undefined}>{number(servicePace?.calls[outcome])}</span>
                      </Td>
                    );
                  })}
                  <Td>
                    {servicePace?.meanMs === undefined ? t('none') : t('ms', { count: Math.round(servicePace.meanMs) })}
                  </Td>
                  <Td>{number(servicePace?.retries)}</Td>
                  <Td>{number(total)}</Td>
                </Tr>
              );
            })}
        </Tbody>
      </Table>
    </section>
  );
}
