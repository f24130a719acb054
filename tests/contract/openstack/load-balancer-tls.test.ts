import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { KeyCloud } from './key-cloud.ts';
import { LoadBalancerCloud } from './load-balancer-cloud.ts';
import { expectOctaviaError } from './octavia-error.ts';
import { describeClouds } from './targets.ts';

/** A self-signed certificate, its key, and both as a PKCS12 bundle. */
function certificate(): { readonly certificate: string; readonly key: string; readonly bundle: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const at = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  try {
    const subject = ['-subj', '/CN=contract.test', '-days', '2'];
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', at('key'), '-out', at('cert'), ...subject);
    openssl('pkcs12', '-export', '-inkey', at('key'), '-in', at('cert'), '-out', at('p12'), '-passout', 'pass:');
    const [key, cert] = [readFileSync(at('key'), 'utf8'), readFileSync(at('cert'), 'utf8')];
    return { certificate: cert, key, bundle: readFileSync(at('p12')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describeClouds('listener certificates', (cloud) => {
  it('are read from Barbican, and refused if they cannot be read', async () => {
    const [keys, octavia] = [new KeyCloud(cloud()), new LoadBalancerCloud(cloud())];
    const { id: loadbalancer_id } = await octavia.loadBalancer();
    const created = certificate();
    const binary = { payload_content_type: 'application/octet-stream', payload_content_encoding: 'base64' };
    const bundle = await keys.secret({ payload: created.bundle.toString('base64'), ...binary });
    const [cert, key] = [await keys.text(created.certificate), await keys.text(created.key)];
    const secret_refs = [
      { name: 'certificate', secret_ref: cert.ref },
      { name: 'private_key', secret_ref: key.ref },
    ];
    const container = await keys.make('containers', { type: 'certificate', secret_refs });
    const withoutKey = await keys.make('containers', { type: 'certificate', secret_refs: secret_refs.slice(0, 1) });
    const invalidBundle = await keys.secret({ payload: Buffer.from('no bundle').toString('base64'), ...binary });
    const empty = await keys.secret();
    const listener = (protocol_port: number, fields: object) => ({
      listener: { loadbalancer_id, protocol: 'TERMINATED_HTTPS', protocol_port, ...fields },
    });
    const refused = (reference: string) => `Could not retrieve certificate: ['${reference}']`;
    const isListening = async (port: number, fields: object) => {
      const { id } = await octavia.make(loadbalancer_id, 'listeners', listener(port, fields));
      return octavia.show(`listeners/${id}`);
    };

    expect(await isListening(443, { default_tls_container_ref: bundle.ref })).toMatchObject({
      default_tls_container_ref: bundle.ref,
    });
    expect(await isListening(444, { sni_container_refs: [container.ref] })).toMatchObject({
      sni_container_refs: [container.ref],
    });
    for (const ref of [
      bundle.ref.replace(bundle.id, NO_SUCH_ID),
      container.ref.replace(container.id, NO_SUCH_ID),
      withoutKey.ref,
    ])
      expectOctaviaError(
        await octavia.call('POST', 'listeners', listener(445, { default_tls_container_ref: ref })),
        400,
        refused(ref),
      );
    for (const { ref } of [invalidBundle, empty])
      expectOctaviaError(
        await octavia.call('POST', 'listeners', listener(445, { default_tls_container_ref: ref })),
        400,
        /^The PKCS12 bundle is unreadable\./,
      );
    const trustingClient = (ca: string) =>
      listener(445, {
        default_tls_container_ref: bundle.ref,
        client_authentication: 'MANDATORY',
        client_ca_tls_container_ref: ca,
      });
    expectOctaviaError(
      await octavia.call('POST', 'listeners', trustingClient(bundle.ref.replace(bundle.id, NO_SUCH_ID))),
      400,
      refused(bundle.ref.replace(bundle.id, NO_SUCH_ID)),
    );
    expectOctaviaError(
      await octavia.call('POST', 'listeners', trustingClient(key.ref)),
      400,
      /^Validation failure: The client authentication CA certificate is invalid\./,
    );
    expect((await octavia.call('POST', 'listeners', trustingClient(cert.ref))).status).toBe(201);
    await octavia.waitUntilSettled(loadbalancer_id);
  });
});
