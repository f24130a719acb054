import { texts } from '../../text/texts.ts';

export const eventsTexts = texts(
  {
    title: 'Events',
    none: 'No events. Events are deleted after a while.',
    warning: 'Warning',
    times: { one: '{count} time', other: '{count} times' },
    'kind.Cluster': 'Cluster',
    'kind.NodePool': 'Node pool',
    'kind.Machine': 'Node',
    'names.more': '{name} and {count} more',
    filter: 'Warnings only',
  },
  {
    de: {
      title: 'Ereignisse',
      none: 'Keine Ereignisse. Ereignisse werden nach einer Weile gelöscht.',
      warning: 'Warnung',
      times: { one: '{count} Mal', other: '{count} Mal' },
      'kind.Cluster': 'Cluster',
      'kind.NodePool': 'Knotenpool',
      'kind.Machine': 'Knoten',
      'names.more': '{name} und {count} weitere',
      filter: 'Nur Warnungen',
    },
  },
);
