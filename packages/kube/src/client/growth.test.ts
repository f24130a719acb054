import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { labelValue } from '../object/label-value.ts';
import { parseCertificate } from '../pki/certificate-authority.ts';
import { certificateInfo } from '../pki/certificate-info.ts';
import { parseCertificateRequest } from '../pki/certificate-request.ts';
import { privateKeyFromPem } from '../pki/key-pair.ts';
import { parseKubeconfig } from './kubeconfig.ts';
import { parseWarnings } from './warnings.ts';

const pem = (type: string, text: string) => `-----BEGIN ${type}-----\n${text}\n-----END ${type}-----\n`;

test.each<[string, (text: string) => unknown]>([
  ['a kubeconfig', parseKubeconfig],
  ['warnings', parseWarnings],
  ['a name that becomes a label', labelValue],
  ['a certificate', parseCertificate],
  ['the body of a certificate', (text) => parseCertificate(pem('CERTIFICATE', text))],
  ['the content of a certificate', certificateInfo],
  ['a certificate request', parseCertificateRequest],
  ['the body of a certificate request', (text) => parseCertificateRequest(pem('CERTIFICATE REQUEST', text))],
  ['a private key', privateKeyFromPem],
])('%s is read in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});
