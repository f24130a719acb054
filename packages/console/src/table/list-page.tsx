import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import {
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
} from '@patternfly/react-core/dist/esm/components/EmptyState';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { SearchInput } from '@patternfly/react-core/dist/esm/components/SearchInput';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { ToggleGroup, ToggleGroupItem } from '@patternfly/react-core/dist/esm/components/ToggleGroup';
import { SearchIcon } from '@patternfly/react-icons/dist/esm/icons/search-icon';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import type { Snapshot } from '../api/resource-store.ts';
import { keyOf, type StoredObject } from '../api/resources.ts';
import { FailureNotice } from '../app/failure-notice.tsx';
import { OutdatedNotice } from '../app/outdated-notice.tsx';
import { useLocale } from '../text/settings.ts';
import { useText } from '../text/use-text.ts';
import type { Column, Sort } from './column.ts';
import { visibleRows } from './rows.ts';
import { tableTexts } from './texts.ts';
import { VirtualTable } from './virtual-table.tsx';

export interface ListFilter<T> {
  readonly key: string;
  readonly title: string;
  readonly isIn: (row: T) => boolean;
}

export interface ListPageProps<T extends StoredObject> {
  readonly title: string;
  readonly snapshot: Snapshot<T>;
  readonly columns: readonly Column<T>[];
  readonly searchText: (row: T) => string;
  readonly searchLabel: string;
  /** At most one is selected. */
  readonly filters: readonly ListFilter<T>[];
  readonly defaultSort: Sort;
  /** The page's main action. */
  readonly action?: ReactNode;
  /** Displayed if there are no objects at all. */
  readonly emptyList: ReactNode;
}

const ALL_ROWS = 'all';

/** All objects of a kind. The browser has all of them, so it searches, filters and sorts them itself. */
export function ListPage<T extends StoredObject>(props: ListPageProps<T>) {
  const { title, snapshot, columns, searchText, searchLabel, filters, defaultSort, action, emptyList } = props;
  const t = useText(tableTexts);
  const locale = useLocale();
  const [words, setSearchWords] = useState('');
  const [chosen, setSelectedFilter] = useState(ALL_ROWS);
  const [sort, setSort] = useState(defaultSort);
  // Typing must not wait for ten thousand rows to render.
  const deferredWords = useDeferredValue(words);
  const { items, isComplete, failure } = useDeferredValue(snapshot);
  const counts = useMemo(() => filters.map(({ isIn }) => items.filter(isIn).length), [filters, items]);
  const rows = useMemo(() => {
    const filter = filters.find(({ key }) => key === chosen)?.isIn;
    return visibleRows(items, { words: deferredWords, searchText, filter, sort, columns, keyOf, locale });
  }, [items, deferredWords, searchText, filters, chosen, sort, columns, locale]);

  if (items.length === 0 && !isComplete) {
    return failure === undefined ? (
      <Spinner className="fw-page-spinner" aria-label={t('loading')} />
    ) : (
      <PageSection isFilled>
        <Title headingLevel="h1">{title}</Title>
        <FailureNotice failure={failure} />
      </PageSection>
    );
  }
  const isNarrowed = deferredWords !== '' || chosen !== ALL_ROWS;
  return (
    <PageSection isFilled className="fw-list">
      <div className="fw-list-head">
        <Title headingLevel="h1">{title}</Title>
        {items.length > 0 && action}
      </div>
      <OutdatedNotice of={[snapshot]} />
      {items.length === 0 ? (
        emptyList
      ) : (
        <>
          <search className="fw-list-tools">
            <SearchInput
              aria-label={searchLabel}
              placeholder={searchLabel}
              value={words}
              onChange={(_event, value) => setSearchWords(value)}
              onClear={() => setSearchWords('')}
              resetButtonLabel={t('search.reset')}
            />
            <ToggleGroup aria-label={t('filter.label')} isCompact>
              {[{ key: ALL_ROWS, title: t('filter.all') }, ...filters].map(({ key, title: name }, index) => (
                <ToggleGroupItem
                  key={key}
                  text={`${name} ${(index === 0 ? items.length : (counts[index - 1] ?? 0)).toLocaleString(locale)}`}
                  isSelected={chosen === key}
                  onChange={() => setSelectedFilter(key)}
                />
              ))}
            </ToggleGroup>
            <span role="status" className="fw-quiet">
              {isNarrowed && t('shown', { count: rows.length, all: items.length })}
              {!isComplete && failure === undefined && ` ${t('more')}`}
            </span>
          </search>
          {rows.length === 0 ? (
            <EmptyState titleText={t('none.title')} icon={SearchIcon} headingLevel="h2">
              <EmptyStateBody>{t('none.body')}</EmptyStateBody>
              <EmptyStateFooter>
                <EmptyStateActions>
                  <Button
                    variant="link"
                    onClick={() => {
                      setSearchWords('');
                      setSelectedFilter(ALL_ROWS);
                    }}
                  >
                    {t('none.reset')}
                  </Button>
                </EmptyStateActions>
              </EmptyStateFooter>
            </EmptyState>
          ) : (
            <VirtualTable label={title} columns={columns} rows={rows} keyOf={keyOf} sort={sort} onSort={setSort} />
          )}
        </>
      )}
    </PageSection>
  );
}
