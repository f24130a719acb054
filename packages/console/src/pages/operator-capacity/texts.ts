import { texts } from '../../text/texts.ts';

export const capacityTexts = texts(
  {
    title: 'Capacity',
    search: 'Search by project, cloud or region',
    'empty.title': 'No cloud has reported its capacity yet',
    'empty.body':
      'Fairway creates a CloudProfile for each namespace that has a cloud, and queries the cloud every 20 minutes.',
    'filter.full': 'Nearly full',
    'filter.failing': 'No response',
    'column.project': 'Project',
    'column.cloud': 'Cloud',
    'column.state': 'State',
    'column.instances': 'Servers',
    'column.cores': 'Cores',
    'column.memory': 'Memory',
    'column.other': 'Highest other usage',
    'state.ready': 'Responded',
    'state.attention': 'No response',
    'state.progress': 'Not queried yet',
    credential: 'credential {name}',
  },
  {
    de: {
      title: 'Kapazität',
      search: 'Nach Projekt, Cloud oder Region suchen',
      'empty.title': 'Noch keine Cloud hat ihre Kapazität gemeldet',
      'empty.body':
        'Fairway legt für jeden Namespace mit einer Cloud ein CloudProfile an und fragt die Cloud alle 20 Minuten ab.',
      'filter.full': 'Fast ausgelastet',
      'filter.failing': 'Ohne Antwort',
      'column.project': 'Projekt',
      'column.cloud': 'Cloud',
      'column.state': 'Status',
      'column.instances': 'Server',
      'column.cores': 'Kerne',
      'column.memory': 'Arbeitsspeicher',
      'column.other': 'Höchste übrige Auslastung',
      'state.ready': 'Beantwortet',
      'state.attention': 'Ohne Antwort',
      'state.progress': 'Noch nicht abgefragt',
      credential: 'Zugangsdaten {name}',
    },
  },
);
