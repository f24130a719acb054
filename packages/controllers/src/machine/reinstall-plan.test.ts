import type { Machine } from '@fairway/api/kinds/machine';
import type { MachineReinstall } from '@fairway/api/kinds/machine-installation';
import { Server } from '@fairway/openstack/types/server';
import { describe, expect, test } from 'vitest';
import {
  hasBootedSince,
  hasTakenEffect,
  type InstallationFacts,
  installedOn,
  nextInstallationStep,
  reinstallID,
} from './reinstall-plan.ts';

const NOW = '2026-01-01T00:10:00Z';
const OLD = { image: 'i', version: '1.34.1' };
const NEW = { image: 'i', version: '1.34.2' };
const LATER = { image: 'i', version: '1.34.3' };
const started: MachineReinstall = { ...NEW, startTime: '2026-01-01T00:00:00Z', wasCordoned: true };
const requested: MachineReinstall = { ...started, requestedTime: '2026-01-01T00:05:00Z', bootID: 'a' };
const accepted: MachineReinstall = { ...requested, acceptedTime: '2026-01-01T00:06:00Z' };
const installed = { serverID: 's', ...OLD };

const facts: InstallationFacts = {
  desired: NEW,
  installed,
  reinstall: undefined,
  isAccepted: 'no',
  server: 'active',
  wasCordoned: false,
  nowMs: Date.parse(NOW),
};

describe('the next step of an installation', () => {
  const again = { ...LATER, startTime: NOW, wasCordoned: true };

  test.each<{ case: string; given: Partial<InstallationFacts>; step: object }>([
    { case: 'keeping the server if the disk matches the spec', given: { desired: OLD }, step: { kind: 'keep' } },
    {
      case: 'recording the intention, before anything is done',
      given: {},
      step: { kind: 'begin', reinstall: { ...NEW, startTime: NOW, wasCordoned: false }, installed },
    },
    {
      case: 'recording the intention if only the time is new',
      given: { desired: { ...OLD, reinstallTime: NOW } },
      step: { kind: 'begin', reinstall: { reinstallTime: NOW } },
    },
    { case: 'the drain of the node', given: { reinstall: started }, step: { kind: 'drain' } },
    {
      case: 'a drain for another spec, with its start time',
      given: { reinstall: started, desired: LATER },
      step: { kind: 'begin', reinstall: { ...again, startTime: started.startTime } },
    },
    {
      case: 'a cancellation if the spec is reverted in time',
      given: { reinstall: started, desired: OLD },
      step: { kind: 'cancel' },
    },
    { case: 'the request to the cloud', given: { reinstall: requested }, step: { kind: 'rebuild' } },
    {
      case: 'waiting if the cloud may have accepted it',
      given: { reinstall: requested, isAccepted: 'unknown' },
      step: { kind: 'settle' },
    },
    {
      case: 'waiting even with another spec',
      given: { reinstall: requested, isAccepted: 'unknown', desired: LATER },
      step: { kind: 'settle' },
    },
    {
      case: 'another spec if the first was refused',
      given: { reinstall: requested, desired: LATER },
      step: { kind: 'begin', reinstall: again, installed },
    },
    {
      case: 'a cancellation if the refused spec is reverted',
      given: { reinstall: requested, desired: OLD },
      step: { kind: 'cancel' },
    },
    {
      case: 'waiting while the cloud is working',
      given: { reinstall: accepted, isAccepted: 'yes', server: 'rebuilding' },
      step: { kind: 'awaitServer' },
    },
    {
      case: 'waiting while the cloud is working, even with another spec',
      given: { reinstall: accepted, isAccepted: 'yes', server: 'rebuilding', desired: LATER },
      step: { kind: 'awaitServer' },
    },
    {
      case: 'another spec, even the previous one, once the disk has changed',
      given: { reinstall: accepted, isAccepted: 'yes', desired: OLD },
      step: { kind: 'begin', reinstall: { ...again, ...OLD }, installed: { serverID: 's', ...NEW } },
    },
    {
      case: 'starting a server that was off',
      given: { reinstall: accepted, isAccepted: 'yes', server: 'stopped' },
      step: { kind: 'startServer' },
    },
    {
      case: 'waiting for a server that failed',
      given: { reinstall: accepted, isAccepted: 'yes', server: 'other' },
      step: { kind: 'awaitServer' },
    },
    {
      case: 'waiting for the node once the server is running',
      given: { reinstall: accepted, isAccepted: 'yes' },
      step: { kind: 'awaitNode', installed: { serverID: 's', ...NEW } },
    },
  ])('is $case', ({ given, step }) => {
    expect(nextInstallationStep({ ...facts, ...given })).toMatchObject(step);
  });
});

const server = (metadata: Record<string, string>, image = 'i') =>
  Server.parse({
    id: 's',
    name: 'm',
    status: 'ACTIVE',
    tenant_id: 'p',
    user_id: 'u',
    created: '',
    updated: '',
    image: image === '' ? '' : { id: image },
    flavor: { id: 'f' },
    metadata,
  });
const machine = (status: Machine['status'] = {}): Machine => ({
  metadata: { name: 'm', namespace: 'team', uid: 'uid' },
  spec: { clusterName: 'c', nodePoolName: 'p', flavor: 'f', floatingIP: false, ...NEW },
  status,
});

test.each([
  {
    case: 'from the record, regardless of metadata',
    status: { installed },
    metadata: { 'fairway.dev.version': '9' },
    on: OLD,
  },
  { case: 'from what it was created with', status: {}, metadata: { 'fairway.dev.version': '1.34.1' }, on: OLD },
  { case: 'from the spec for an earlier release', status: {}, metadata: {}, on: NEW },
  {
    case: 'without the record of another server',
    status: { installed: { ...installed, serverID: 'gone' } },
    metadata: {},
    on: NEW,
  },
  { case: 'including the image that it has', status: {}, metadata: {}, image: 'j', on: { ...NEW, image: 'j' } },
  { case: 'from the spec on a volume, for which Nova reports no image', status: {}, metadata: {}, image: '', on: NEW },
])('the installed state of a server is determined $case', ({ status, metadata, image, on }) => {
  expect(installedOn(machine(status), server({ ...metadata }, image))).toEqual({ serverID: 's', ...on });
});

test.each([
  { bootID: 'b', isNew: true },
  { bootID: 'a', isNew: false },
  { bootID: undefined, isNew: false },
])('a node with boot ID $bootID has rebooted: $isNew', ({ bootID, isNew }) => {
  const nodeInfo = { kubeletVersion: 'v1.34.2', ...(bootID !== undefined && { bootID }) };

  expect(hasBootedSince({ metadata: {}, status: { nodeInfo } }, requested)).toBe(isNew);
});

test('the installed state is reported only after the cloud has accepted the reinstallation', () => {
  expect(hasTakenEffect(installed, undefined)).toBe(true);
  expect(hasTakenEffect({ ...installed, ...NEW }, requested)).toBe(false);
  expect(hasTakenEffect(installed, accepted)).toBe(false);
  expect(hasTakenEffect({ ...installed, ...NEW }, accepted)).toBe(true);
});

test('each reinstallation has its own ID', () => {
  const ids = [
    started,
    { ...started, startTime: NOW },
    { ...started, ...LATER },
    { ...started, reinstallTime: NOW },
  ].map((each) => reinstallID(machine(), each));

  expect(new Set(ids).size).toBe(ids.length);
  expect(reinstallID(machine(), accepted)).toBe(ids[0]);
});
