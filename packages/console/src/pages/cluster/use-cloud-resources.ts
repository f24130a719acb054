import type { CloudResourcesRequest, CloudResourcesStatus } from '@fairway/api/kinds/cloud-resources-request';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { useEffect, useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { request } from '../../api/request.ts';
import { clusters, pathOf } from '../../api/resources.ts';

/** Servers answer from lists that are 15 s old at most. */
const EVERY_MS = 10_000;

export interface CloudResources {
  readonly known: CloudResourcesStatus | undefined;
  readonly failure: Failure | undefined;
}

/** What a cluster has in the cloud, asked again and again while somebody looks. */
export function useCloudResources({ metadata: { namespace, name } }: Cluster): CloudResources {
  const [resources, setResources] = useState<CloudResources>({ known: undefined, failure: undefined });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const body = { apiVersion: 'fairway.dev/v1alpha1', kind: 'CloudResourcesRequest', spec: {} };
    const path = pathOf(clusters, namespace, name, 'cloudresources');
    let isAsking = false;
    const ask = async () => {
      if (document.visibilityState === 'hidden' || isAsking) return;
      isAsking = true;
      try {
        const { status } = await request<CloudResourcesRequest>(path, { method: 'POST', body, signal });
        setResources({ known: status, failure: undefined });
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(0, String(error));
        setResources(({ known }) => ({ known: failure.isPassing ? known : undefined, failure }));
      } finally {
        isAsking = false;
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), EVERY_MS);
    return () => {
      clearInterval(timer);
      ending.abort();
    };
  }, [namespace, name]);
  return resources;
}
