import { texts } from '../text/texts.ts';

export const tableTexts = texts(
  {
    loading: 'Loading…',
    'filter.label': 'Filter',
    'filter.all': 'All',
    'search.reset': 'Clear the search',
    shown: '{count} of {all} shown',
    more: 'Loading more…',
    'none.title': 'No matches',
    'none.body': 'Results must contain all search terms.',
    'none.reset': 'Show all',
  },
  {
    de: {
      loading: 'Wird geladen …',
      'filter.label': 'Filter',
      'filter.all': 'Alle',
      'search.reset': 'Suche leeren',
      shown: '{count} von {all} angezeigt',
      more: 'Weitere werden geladen …',
      'none.title': 'Keine Treffer',
      'none.body': 'Treffer müssen alle Suchbegriffe enthalten.',
      'none.reset': 'Alle anzeigen',
    },
  },
);
