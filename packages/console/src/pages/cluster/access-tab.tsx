import type { KubeconfigRequest } from '@fairway/api/kinds/kubeconfig-request';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { clusters, pathOf } from '../../api/resources.ts';
import { Copyable } from '../../cluster/copyable.tsx';
import { Field } from '../../cluster/field.tsx';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useLocale } from '../../text/settings.ts';
import { fullTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { accessTexts } from './access-texts.ts';
import { CredentialsPanels } from './credentials-panels.tsx';
import type { TabProps } from './tab.ts';

const EXPIRIES = [600, 3600, 28_800, 86_400] as const;

/** Ways to access the cluster's own API. */
export function AccessTab({ cluster }: TabProps) {
  const t = useText(accessTexts);
  const { namespace = '', name = '' } = cluster.metadata;
  const server = location.origin;
  return (
    <div className="fw-overview">
      <KubeconfigDownload namespace={namespace} name={name} />
      <section className="fw-panel">
        <h2>{t('cli.title')}</h2>
        <p>{t('cli.body')}</p>
        <Copyable label={t('cli.label')} text={`fairway kubeconfig ${name} --namespace ${namespace} --merge`} />
      </section>
      <section className="fw-panel">
        <h2>{t('exec.title')}</h2>
        <p>{t('exec.body')}</p>
        <Copyable
          label={t('exec.label')}
          text={`fairway kubeconfig --exec --cloud mycloud --server ${server} --merge`}
        />
      </section>
      <CredentialsPanels cluster={cluster} />
      <section className="fw-panel">
        <h2>{t('api.title')}</h2>
        {cluster.status?.url === undefined ? (
          <p className="fw-quiet">{t('api.none')}</p>
        ) : (
          <Copyable label={t('api.title')} text={cluster.status.url} />
        )}
      </section>
    </div>
  );
}

function KubeconfigDownload({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const t = useText(accessTexts);
  const locale = useLocale();
  const [seconds, setSeconds] = useState<number>(3600);
  const [until, setUntil] = useState<string>();
  const { run, isRunning, failure } = useWrite();
  const file = `${name}.kubeconfig`;
  const download = () =>
    run(async () => {
      const body = {
        apiVersion: 'fairway.dev/v1alpha1',
        kind: 'KubeconfigRequest',
        spec: { expirationSeconds: seconds },
      };
      const path = pathOf(clusters, namespace, name, 'kubeconfig');
      const { status } = await request<KubeconfigRequest>(path, { method: 'POST', body });
      if (status === undefined) return;
      save(file, status.kubeconfig);
      setUntil(status.expirationTimestamp);
    });
  return (
    <section className="fw-panel">
      <h2>{t('once.title')}</h2>
      <p>{t('once.body')}</p>
      <div className="fw-row fw-row-end">
        <Field id="expiry" label={t('once.expiry')}>
          {(input) => (
            <FormSelect {...input} value={seconds} onChange={(_event, value) => setSeconds(Number(value))}>
              {EXPIRIES.map((each) => (
                <FormSelectOption key={each} value={each} label={t(`once.expiry.${each}`)} />
              ))}
            </FormSelect>
          )}
        </Field>
        <Button isLoading={isRunning} isDisabled={isRunning} onClick={() => void download()}>
          {t('once.do')}
        </Button>
      </div>
      <WriteFailure failure={failure} />
      {until !== undefined && (
        <div role="status">
          <p>{t('once.made', { file, time: fullTime(until, locale) })}</p>
          <Copyable label={t('once.then')} text={`kubectl --kubeconfig ${file} get nodes`} />
        </div>
      )}
    </section>
  );
}

/** Offers the content as a download. */
function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
