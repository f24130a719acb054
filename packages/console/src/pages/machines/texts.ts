import { texts } from '../../text/texts.ts';

export const machinesTexts = texts(
  {
    title: 'Machines',
    search: 'Search by name, cluster, pool, flavor, zone or address',
    'empty.title': 'No machines',
    'empty.body':
      'Each node of your clusters is a machine: a server in your project that Fairway creates, repairs and replaces. Machines appear here when you create a cluster.',
    'filter.attention': 'Needs attention',
    'filter.progress': 'In progress',
    'filter.ready': 'Ready',
    'column.name': 'Name',
    'column.cluster': 'Cluster',
    'column.pool': 'Pool',
    'column.status': 'Status',
    'column.flavor': 'Flavor',
    'column.zone': 'Zone',
    'column.address': 'Address',
    'column.version': 'Version',
    'column.created': 'Created',
  },
  {
    de: {
      title: 'Maschinen',
      search: 'Nach Name, Cluster, Pool, Flavor, Zone oder Adresse suchen',
      'empty.title': 'Keine Maschinen',
      'empty.body':
        'Jeder Knoten Ihrer Cluster ist eine Maschine: ein Server in Ihrem Projekt, den Fairway erstellt, repariert und ersetzt. Maschinen erscheinen hier, sobald Sie einen Cluster anlegen.',
      'filter.attention': 'Handlungsbedarf',
      'filter.progress': 'In Arbeit',
      'filter.ready': 'Bereit',
      'column.name': 'Name',
      'column.cluster': 'Cluster',
      'column.pool': 'Pool',
      'column.status': 'Status',
      'column.flavor': 'Flavor',
      'column.zone': 'Zone',
      'column.address': 'Adresse',
      'column.version': 'Version',
      'column.created': 'Angelegt',
    },
  },
);
