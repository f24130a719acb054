import { texts } from '../../text/texts.ts';

export const eventsTexts = texts(
  {
    title: 'What happened',
    none: 'Nothing is known of this cluster’s past: events are kept for a while only.',
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
      title: 'Was geschah',
      none: 'Von der Vergangenheit dieses Clusters ist nichts bekannt: Ereignisse werden nur eine Weile aufgehoben.',
      warning: 'Warnung',
      times: { one: '{count} Mal', other: '{count} Mal' },
      'kind.Cluster': 'Cluster',
      'kind.NodePool': 'Node-Pool',
      'kind.Machine': 'Knoten',
      'names.more': '{name} und {count} weitere',
      filter: 'Nur Warnungen',
    },
  },
);
