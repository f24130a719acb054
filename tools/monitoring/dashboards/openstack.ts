import type { DashboardData } from './dashboard.ts';

/** Clouds: calls, failures, latency and the call budget. */
export const OPENSTACK: DashboardData = {
  uid: 'fairway-openstack',
  title: 'Fairway: OpenStack',
  variables: [
    {
      name: 'cloud',
      label: 'Cloud',
      query: 'label_values(fairway_openstack_requests_total, cloud)',
      isMultiValue: true,
    },
  ],
  panels: [
    {
      title: 'Calls per second by service',
      type: 'timeseries',
      unit: 'reqps',
      width: 8,
      queries: [
        {
          expr: 'sum by (cloud, service) (rate(fairway_openstack_requests_total{cloud=~"$cloud"}[$__rate_interval]))',
          legend: '{{cloud}} {{service}}',
        },
      ],
    },
    {
      title: 'Results',
      type: 'timeseries',
      unit: 'reqps',
      width: 8,
      queries: [
        {
          expr: 'sum by (code) (rate(fairway_openstack_requests_total{cloud=~"$cloud"}[$__rate_interval]))',
          legend: '{{code}}',
        },
      ],
    },
    {
      title: 'Failure ratio',
      type: 'timeseries',
      unit: 'percentunit',
      width: 8,
      queries: [
        {
          expr: 'sum by (cloud, service) (rate(fairway_openstack_requests_total{cloud=~"$cloud",code=~"5xx|timeout|network"}[$__rate_interval])) / sum by (cloud, service) (rate(fairway_openstack_requests_total{cloud=~"$cloud"}[$__rate_interval]))',
          legend: '{{cloud}} {{service}}',
        },
      ],
    },
    {
      title: 'Latency, p50',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'histogram_quantile(0.5, sum by (service, le) (rate(fairway_openstack_request_duration_seconds_bucket{cloud=~"$cloud"}[$__rate_interval])))',
          legend: '{{service}}',
        },
      ],
    },
    {
      title: 'Latency, p95',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'histogram_quantile(0.95, sum by (service, le) (rate(fairway_openstack_request_duration_seconds_bucket{cloud=~"$cloud"}[$__rate_interval])))',
          legend: '{{service}}',
        },
      ],
    },
    {
      title: 'Retries per second',
      type: 'timeseries',
      unit: 'ops',
      width: 8,
      queries: [
        {
          expr: 'sum by (service, reason) (rate(fairway_openstack_retries_total{cloud=~"$cloud"}[$__rate_interval]))',
          legend: '{{service}} {{reason}}',
        },
      ],
    },
    {
      title: 'Projects with the most calls',
      type: 'timeseries',
      unit: 'reqps',
      width: 12,
      queries: [
        {
          expr: 'topk(10, sum by (project) (rate(fairway_openstack_project_requests_total{cloud=~"$cloud"}[$__rate_interval])))',
          legend: '{{project}}',
        },
      ],
    },
    {
      title: 'Projects with the most failures',
      type: 'timeseries',
      unit: 'reqps',
      width: 12,
      queries: [
        {
          expr: 'topk(10, sum by (project) (rate(fairway_openstack_project_requests_total{cloud=~"$cloud",code=~"5xx|timeout|network"}[$__rate_interval])))',
          legend: '{{project}}',
        },
      ],
    },
    {
      title: 'Calls waiting for the budget',
      type: 'timeseries',
      unit: 'short',
      width: 12,
      queries: [{ expr: 'fairway_openstack_budget_waiting{cloud=~"$cloud"}', legend: '{{instance}} {{cloud}}' }],
    },
    {
      title: 'Budget wait time, p99',
      type: 'timeseries',
      unit: 's',
      width: 12,
      queries: [
        {
          expr: 'histogram_quantile(0.99, sum by (cloud, le) (rate(fairway_openstack_budget_wait_seconds_bucket{cloud=~"$cloud"}[$__rate_interval])))',
          legend: '{{cloud}}',
        },
      ],
    },
    {
      title: 'Age of the oldest list',
      type: 'timeseries',
      unit: 's',
      width: 8,
      queries: [
        {
          expr: 'max by (cloud, resource) (fairway_openstack_cache_age_seconds{cloud=~"$cloud"})',
          legend: '{{cloud}} {{resource}}',
        },
      ],
    },
    {
      title: 'Projects with failing lists',
      type: 'timeseries',
      unit: 'short',
      width: 8,
      queries: [
        {
          expr: 'sum by (cloud, resource) (fairway_openstack_caches_failing{cloud=~"$cloud"})',
          legend: '{{cloud}} {{resource}}',
        },
      ],
    },
    {
      title: 'Calls by documented path',
      type: 'timeseries',
      unit: 'reqps',
      width: 8,
      queries: [
        {
          expr: 'topk(10, sum by (method, resource) (rate(fairway_openstack_requests_total{cloud=~"$cloud"}[$__rate_interval])))',
          legend: '{{method}} {{resource}}',
        },
      ],
    },
  ],
};
