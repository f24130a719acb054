import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { USER } from './root.ts';

export interface ArchiveOptions {
  /** The root file system. */
  readonly root: string;
  /** A directory with enough space for two copies of the image. */
  readonly scratch: string;
  /** `docker.io/library/fairway:0.2.0`. */
  readonly name: string;
  readonly version: string;
  /** Go's name for the architecture, such as `amd64`. */
  readonly architecture: string;
  readonly output: string;
}

/** The image contains no timestamps: the same sources produce the same bytes. */
const EPOCH = '1970-01-01T00:00:00Z';
const REPRODUCIBLE_TAR_OPTIONS = ['--sort=name', '--mtime=@0', '--numeric-owner', '--format=gnu'];

/**
 * Writes an image as a tar that is both an OCI layout and a docker-archive: containerd, podman, Docker and skopeo can
 * read it. Resolves with its digest.
 */
export function writeArchive({ root, scratch, name, version, architecture, output }: ArchiveOptions): string {
  const folder = mkdtempSync(join(scratch, 'layout-'));
  try {
    const blobs = join(folder, 'blobs/sha256');
    mkdirSync(blobs, { recursive: true });
    const addBlob = (content: Buffer) => {
      const digest = sha256(content);
      writeFileSync(join(blobs, digest), content);
      return { digest: `sha256:${digest}`, size: content.length };
    };
    const tar = layer(root, folder);
    const compressed = addBlob(gzipSync(tar));
    const config = addBlob(json(configuration({ diffId: `sha256:${sha256(tar)}`, version, architecture })));
    const manifest = addBlob(
      json({
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
        layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', ...compressed }],
      }),
    );
    const index = {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [
        {
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          ...manifest,
          annotations: {
            'io.containerd.image.name': name,
            'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
          },
          platform: { architecture, os: 'linux' },
        },
      ],
    };
    const pathOf = ({ digest }: { readonly digest: string }) => `blobs/${digest.replace(':', '/')}`;
    const dockerManifest = [{ Config: pathOf(config), RepoTags: [name], Layers: [pathOf(compressed)] }];
    writeFileSync(join(folder, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
    writeFileSync(join(folder, 'index.json'), json(index));
    writeFileSync(join(folder, 'manifest.json'), json(dockerManifest));
    const parts = ['oci-layout', 'index.json', 'manifest.json', 'blobs'];
    execFileSync('tar', [
      ...REPRODUCIBLE_TAR_OPTIONS,
      '--owner=0',
      '--group=0',
      '--mode=u+rw,go=rX',
      '-cf',
      output,
      '-C',
      folder,
      ...parts,
    ]);
    return manifest.digest;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All files belong to root and are read-only for the image's user, who owns only the home; /tmp is world-writable. */
function layer(root: string, folder: string): Buffer {
  const file = join(folder, 'layer.tar');
  const tar = (...args: readonly string[]) => execFileSync('tar', [...REPRODUCIBLE_TAR_OPTIONS, '-f', file, ...args]);
  tar('-c', '--owner=0', '--group=0', '--mode=u+rw,go=rX', '--exclude=./tmp', '-C', root, '.');
  const own = join(folder, 'own');
  mkdirSync(join(own, 'var/lib/fairway'), { recursive: true });
  mkdirSync(join(own, 'tmp'));
  const append = (path: string, owner: number, mode: string) =>
    tar('-r', '--no-recursion', `--owner=${owner}`, `--group=${owner}`, `--mode=${mode}`, '-C', own, path);
  append('./tmp', 0, '1777');
  append('./var', 0, '0755');
  append('./var/lib', 0, '0755');
  append('./var/lib/fairway', USER, '0700');
  const content = readFileSync(file);
  rmSync(file);
  rmSync(own, { recursive: true });
  return content;
}

function configuration({
  diffId,
  version,
  architecture,
}: {
  readonly diffId: string;
  readonly version: string;
  readonly architecture: string;
}) {
  return {
    created: EPOCH,
    architecture,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      Env: [
        'PATH=/usr/bin',
        'HOME=/var/lib/fairway',
        'FAIRWAY_HOME=/var/lib/fairway/home',
        'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
      ],
      Entrypoint: ['/usr/bin/node', '/opt/fairway/dist/packages/cli/bin/fairway.js'],
      Cmd: ['--help'],
      WorkingDir: '/var/lib/fairway',
      ExposedPorts: { '8443/tcp': {} },
      Labels: {
        'org.opencontainers.image.title': 'fairway',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
    rootfs: { type: 'layers', diff_ids: [diffId] },
    history: [{ created: EPOCH, created_by: 'tools/image' }],
  };
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
