import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useLocale } from '../../text/settings.ts';
import { useText } from '../../text/use-text.ts';
import type { CloudPace } from './cloud-pace.ts';
import { ANSWERS, type CloudReading } from './cloud-reading.ts';
import { cloudsTexts } from './texts.ts';

export interface ServicesTableProps {
  readonly cloud: string;
  readonly reading: CloudReading;
  readonly pace: CloudPace | undefined;
}

/** Calls by service and answer: those of the last minute, and all since the replica started. */
export function ServicesTable({ cloud, reading, pace }: ServicesTableProps) {
  const say = useText(cloudsTexts);
  const locale = useLocale();
  const number = (value: number | undefined) =>
    value === undefined ? say('none') : Math.round(value).toLocaleString(locale);
  return (
    // Focusable, so that the keyboard scrolls it on a narrow screen.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="fw-op-scroll" aria-label={say('table.label', { cloud })} tabIndex={0}>
      <Table aria-label={say('table.label', { cloud })} variant="compact" gridBreakPoint="" className="fw-op-numbers">
        <Thead>
          <Tr>
            <Th modifier="wrap">{say('column.service')}</Th>
            <Th modifier="wrap">{say('column.calls')}</Th>
            {ANSWERS.map((answer) => (
              <Th key={answer} modifier="wrap">
                {say(`answer.${answer}`)}
              </Th>
            ))}
            <Th modifier="wrap">{say('column.mean')}</Th>
            <Th modifier="wrap">{say('column.retries')}</Th>
            <Th modifier="wrap">{say('column.total')}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {[...reading.services]
            .sort(([a], [b]) => a.localeCompare(b))
            .map(([service, { calls }]) => {
              const own = pace?.services.find((each) => each.service === service);
              const total = ANSWERS.reduce((sum, answer) => sum + calls[answer], 0);
              return (
                <Tr key={service}>
                  <Td>{service}</Td>
                  <Td>{number(own?.total)}</Td>
                  {ANSWERS.map((answer) => {
                    const isBad = (answer === 'failed' || answer === 'silent') && (own?.calls[answer] ?? 0) > 0;
                    return (
                      <Td key={answer}>
                        <span className={isBad ? 'fw-op-bad' : undefined}>{number(own?.calls[answer])}</span>
                      </Td>
                    );
                  })}
                  <Td>{own?.meanMs === undefined ? say('none') : say('ms', { count: Math.round(own.meanMs) })}</Td>
                  <Td>{number(own?.retries)}</Td>
                  <Td>{number(total)}</Td>
                </Tr>
              );
            })}
        </Tbody>
      </Table>
    </section>
  );
}
