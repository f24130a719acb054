import { texts } from '../../text/texts.ts';

export const capacityTexts = texts(
  {
    title: 'Capacity',
    search: 'Search by project, cloud or region',
    'empty.title': 'No cloud has told its capacity yet',
    'empty.body':
      'Fairway writes a CloudProfile for each namespace that has a cloud, and asks the cloud every 20 minutes.',
    'filter.full': 'Nearly used up',
    'filter.failing': 'Not answered',
    'column.project': 'Project',
    'column.cloud': 'Cloud',
    'column.state': 'State',
    'column.instances': 'Servers',
    'column.cores': 'Cores',
    'column.memory': 'Memory',
    'column.other': 'Fullest of the others',
    'state.ready': 'Answered',
    'state.attention': 'Not answered',
    'state.progress': 'Not asked yet',
    credential: 'credential {name}',
  },
  {
    de: {
      title: 'Kapazität',
      search: 'Nach Projekt, Cloud oder Region suchen',
      'empty.title': 'Noch hat keine Cloud ihre Kapazität genannt',
      'empty.body':
        'Fairway schreibt für jeden Namensraum, der eine Cloud hat, ein CloudProfile und fragt die Cloud alle 20 Minuten.',
      'filter.full': 'Fast ausgeschöpft',
      'filter.failing': 'Ohne Antwort',
      'column.project': 'Projekt',
      'column.cloud': 'Cloud',
      'column.state': 'Zustand',
      'column.instances': 'Server',
      'column.cores': 'Kerne',
      'column.memory': 'Arbeitsspeicher',
      'column.other': 'Vollste der übrigen',
      'state.ready': 'Beantwortet',
      'state.attention': 'Ohne Antwort',
      'state.progress': 'Noch nicht gefragt',
      credential: 'Zugangsdaten {name}',
    },
  },
);
