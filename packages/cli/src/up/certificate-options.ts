import { resolve } from 'node:path';
import { usageError } from '@fairway/service/command-error';
import type { CertificateFiles } from '@fairway/service/serve/own-certificate';
import type { CliContext } from '../command/context.ts';
import type { FairwayCommandOptions } from '../commands/fairway-options.ts';

/**
 * The operator's own certificate, if configured. Throws a usage error for a certificate without its key or a key
 * without its certificate.
 */
export function certificateOptions(
  { cwd }: Pick<CliContext, 'cwd'>,
  {
    tlsCertFile,
    tlsPrivateKeyFile,
    tlsCaFile,
  }: Pick<FairwayCommandOptions, 'tlsCertFile' | 'tlsPrivateKeyFile' | 'tlsCaFile'>,
): CertificateFiles | undefined {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined && tlsCaFile === undefined) return undefined;
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) {
    const [present, missing] =
      tlsCertFile === undefined
        ? [tlsPrivateKeyFile === undefined ? 'tls.caFile' : 'tls.keyFile', 'tls.certFile (--tls-cert-file)']
        : ['tls.certFile', 'tls.keyFile (--tls-private-key-file)'];
    throw usageError(`${present} is set, but ${missing} is not`);
  }
  return {
    certFile: resolve(cwd, tlsCertFile),
    keyFile: resolve(cwd, tlsPrivateKeyFile),
    caFile: tlsCaFile === undefined ? undefined : resolve(cwd, tlsCaFile),
  };
}
