import { texts } from '../../text/texts.ts';

export const clustersTexts = texts(
  {
    title: 'Clusters',
    count: { one: '{count} cluster', other: '{count} clusters' },
    'empty.title': 'No clusters yet',
    'empty.body':
      'A cluster is a Kubernetes of your own: Fairway runs its control plane and keeps as many nodes in your project as you ask for. Your own kubectl works with it.',
    'column.name': 'Name',
    'column.namespace': 'Project',
    'column.status': 'Status',
    'column.version': 'Version',
    'column.plan': 'Plan',
    'column.age': 'Created',
    'table.label': 'Clusters',
  },
  {
    de: {
      title: 'Cluster',
      count: { one: '{count} Cluster', other: '{count} Cluster' },
      'empty.title': 'Noch keine Cluster',
      'empty.body':
        'Ein Cluster ist Ihr eigenes Kubernetes: Fairway betreibt seine Steuerungsebene und hält in Ihrem Projekt so viele Knoten, wie Sie wünschen. Ihr eigenes kubectl arbeitet damit.',
      'column.name': 'Name',
      'column.namespace': 'Projekt',
      'column.status': 'Zustand',
      'column.version': 'Version',
      'column.plan': 'Plan',
      'column.age': 'Angelegt',
      'table.label': 'Cluster',
    },
  },
);
