import { texts } from '../text/texts.ts';

export const tableTexts = texts(
  {
    loading: 'Loading…',
    'filter.label': 'Filter',
    'filter.all': 'All',
    'search.reset': 'Clear the search',
    shown: '{count} of {all} shown',
    more: 'More are being listed…',
    'none.title': 'Nothing matches',
    'none.body': 'All words of the search have to occur.',
    'none.reset': 'Show all',
  },
  {
    de: {
      loading: 'Wird geladen …',
      'filter.label': 'Filter',
      'filter.all': 'Alle',
      'search.reset': 'Suche leeren',
      shown: '{count} von {all} gezeigt',
      more: 'Weitere werden aufgelistet …',
      'none.title': 'Nichts passt',
      'none.body': 'Alle Wörter der Suche müssen vorkommen.',
      'none.reset': 'Alle zeigen',
    },
  },
);
