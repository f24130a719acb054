import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@fairway/base/testing/free-ports';
import { AwsV4Signer } from 'aws4fetch';

/** The binaries of Swift: Debian's swift-proxy, swift-account, swift-container and swift-object. */
const BINARIES = ['proxy', 'account', 'container', 'object'].map((name) => `/usr/bin/swift-${name}-server`);
/** Swift runs as its own user, which its packages create. */
export const missingForSwift = [
  ...BINARIES.filter((path) => !existsSync(path)),
  ...(process.geteuid?.() === 0 ? [] : ['root']),
];

export const ACCESS_KEY = 'test:tester';
export const SECRET_KEY = 'testing-secret';

/** Creates the rings for each server's disk, in a third of the time that three calls to swift-ring-builder take. */
const RINGS = `
import sys
from swift.common.ring import RingBuilder
folder, *ports = sys.argv[1:]
for name, port in zip(('account', 'container', 'object'), ports):
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(f'{folder}/{name}.ring.gz')
`;

/** A Swift with one disk, which is a directory. It supports the S3 protocol (s3api) with tempauth's users. */
export class SwiftServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #running: ChildProcess[] = [];
  readonly endpoint: string;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.endpoint = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<SwiftServer> {
    const folder = await mkdtemp(join(tmpdir(), 'swift-'));
    const [proxy = 0, account = 0, container = 0, object = 0] = await freePorts(4);
    mkdirSync(join(folder, 'disks/d1'), { recursive: true });
    execFileSync('/usr/bin/python3', ['-c', RINGS, folder, String(account), String(container), String(object)]);
    const common = { devices: join(folder, 'disks'), user: 'swift' };
    const backends = { account, container, object };
    for (const [name, port] of Object.entries(backends)) {
      writeFileSync(
        join(folder, `${name}.conf`),
        `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
swift_dir = ${folder}
devices = ${common.devices}
mount_check = false
user = ${common.user}
log_level = ERROR
log_address = /dev/null
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`,
      );
    }
    writeFileSync(
      join(folder, 'proxy.conf'),
      `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${proxy}
workers = 0
swift_dir = ${folder}
user = ${common.user}
log_level = ERROR
log_address = /dev/null
[pipeline:main]
pipeline = catch_errors proxy-logging cache listing_formats s3api tempauth slo proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
[filter:slo]
use = egg:swift#slo
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${SECRET_KEY} .admin
`,
    );
    execFileSync('chown', ['-R', 'swift:swift', folder]);
    const server = new SwiftServer(folder, proxy);
    for (const name of [...Object.keys(backends), 'proxy']) {
      server.#running.push(
        spawn(`/usr/bin/swift-${name}-server`, [join(folder, `${name}.conf`)], {
          stdio: 'ignore',
        }),
      );
    }
    try {
      await Promise.all([proxy, account, container, object].map(listening));
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  async makeBucket(name: string): Promise<void> {
    const { method, url, headers } = await new AwsV4Signer({
      method: 'PUT',
      url: `${this.endpoint}/${name}`,
      accessKeyId: ACCESS_KEY,
      secretAccessKey: SECRET_KEY,
      service: 's3',
      region: 'us-east-1',
    }).sign();
    const { status } = await fetch(url, { method, headers });
    if (status !== 200) throw new Error(`Swift answers ${status}`);
  }

  /** Pauses Swift's processes; when resumed, they continue with the same data. */
  pause(): void {
    for (const child of this.#running) child.kill('SIGSTOP');
  }

  resume(): void {
    for (const child of this.#running) child.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    const ended = this.#running.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of this.#running) child.kill('SIGKILL');
    await Promise.all(ended);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function listening(port: number): Promise<void> {
  const deadlineMs = Date.now() + 400_000;
  for (;;) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isUp) return;
    if (Date.now() > deadlineMs) throw new Error(`Swift does not listen on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
