import type { Service } from '@fairway/kube/kinds/generated/types';
import { ANNOTATION, isUnknownAnnotation } from './annotation-names.ts';
import { AnnotationReader, shown, type Warning } from './annotation-reader.ts';
import { classOf, defaultFloatingSubnets, floatingSubnetsOf } from './balancer-class.ts';
import { canonical, familyOf } from './families.ts';
import { subnetChoice } from './floating-subnets.ts';
import { monitorSettingsOf, portWishes } from './port-wishes.ts';
import { isOvn, requireWithin } from './provider-limits.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LoadBalancerClass, LoadBalancerSettings } from './settings.ts';
import { sourceRangesOf } from './source-ranges.ts';
import type { Algorithm, Family, FloatingIPWish, Timeouts, Wishes } from './wishes.ts';

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
/** Octavia's longest timeout: 24 days in milliseconds. */
const MAX_TIMEOUT_MS = 24 * 24 * 60 * 60 * 1000;
const MAX_SELECTOR_LABELS = 32;
/** Of Octavia's own limit of what a name or reference may be. */
const MAX_TEXT = 255;

/** Throws ServiceRefused for what can't be done. What is only ignored is a warning. Pure. */
export function wishesOf(
  service: Service,
  settings: LoadBalancerSettings,
): { readonly wishes: Wishes; readonly warnings: readonly Warning[] } {
  const { metadata, spec } = service;
  const reader = new AnnotationReader(metadata.annotations, isUnknownAnnotation);
  const families = familiesOf(service);
  const provider = providerOf(reader, settings);
  const isInternal = reader.flag(ANNOTATION.internal) ?? settings.isInternal;
  const chosen = classOf(reader, settings);
  const address = requestedAddress(service, families);
  const isExternal = !isInternal && families.includes(4);
  const floatingAddress = address !== undefined && familyOf(address) === 4 ? address : undefined;
  const floatingIP = isExternal ? floatingWish(reader, chosen, settings, floatingAddress) : undefined;
  const tlsContainerRef = tlsContainerRefOf(reader, settings, provider);
  const addsForwardedFor = reader.flag(ANNOTATION.xForwardedFor) ?? false;
  const wishes: Wishes = {
    provider,
    families,
    needsAllFamilies: spec.ipFamilyPolicy === 'RequireDualStack',
    vip: {
      ...vipPlaceOf(reader, chosen, settings),
      portID: uuid(reader, ANNOTATION.portID),
      address: floatingIP && floatingAddress !== undefined ? undefined : address,
    },
    floatingIP,
    keepsFloatingIP: reader.flag(ANNOTATION.keepFloatingIP) ?? false,
    memberSubnetID: uuid(reader, ANNOTATION.memberSubnetID) ?? chosen.memberSubnetID ?? settings.memberSubnetID,
    flavor: flavorOf(reader),
    availabilityZone: boundedText(reader, ANNOTATION.availabilityZone),
    ports: portWishes(service, reader, {
      provider,
      isTerminated: tlsContainerRef !== undefined,
      addsForwardedFor,
      monitor: monitorSettingsOf(reader, settings.monitor),
    }),
    algorithm: algorithmOf(reader, settings, provider),
    persistsBySource: spec.sessionAffinity === 'ClientIP',
    sourceRanges: sourceRangesOf(service, reader, families),
    connectionLimit: reader.integer(ANNOTATION.connectionLimit, { min: -1 }) ?? -1,
    timeouts: timeoutsOf(reader, provider),
    tlsContainerRef,
    addsForwardedFor,
    nodeSelector: nodeSelectorOf(reader, settings),
    hostname: boundedText(reader, ANNOTATION.hostname),
    hostnameSuffix: settings.hostnameSuffix,
  };
  requireWithin(wishes);
  if (!families.includes(4) && !isInternal) {
    reader.warn('LoadBalancerFloatingIPSkipped', 'IPv6 has no floating IPs: clients reach its own address');
  }
  return { wishes, warnings: reader.warnings };
}

function providerOf(reader: AnnotationReader, settings: LoadBalancerSettings): string | undefined {
  if (reader.text(ANNOTATION.ovhClass) === 'iolb') {
    throw new ServiceRefused(`annotation ${ANNOTATION.ovhClass}: iolb is not offered; use octavia, or leave it out`);
  }
  reader.oneOf(ANNOTATION.ovhClass, ['octavia']);
  return boundedText(reader, ANNOTATION.provider) ?? settings.provider;
}

/** The operator's default is for all Services but those that say that they have none, and those that can't. */
function tlsContainerRefOf(
  reader: AnnotationReader,
  settings: LoadBalancerSettings,
  provider: string | undefined,
): string | undefined {
  if (reader.has(ANNOTATION.tlsContainerRef)) return boundedText(reader, ANNOTATION.tlsContainerRef);
  return isOvn(provider) || reader.has(ANNOTATION.proxyProtocol) ? undefined : settings.tlsContainerRef;
}

/** A subnet says which network: a network alone leaves the choice to Octavia. */
function vipPlaceOf(
  reader: AnnotationReader,
  chosen: LoadBalancerClass,
  settings: LoadBalancerSettings,
): Pick<Wishes['vip'], 'subnetID' | 'networkID'> {
  const own = { subnetID: uuid(reader, ANNOTATION.subnetID), networkID: uuid(reader, ANNOTATION.networkID) };
  const { subnetID, networkID } = own.subnetID === undefined && own.networkID === undefined ? chosen : own;
  const isChosen = subnetID !== undefined || networkID !== undefined;
  return isChosen ? { subnetID, networkID } : { subnetID: settings.subnetID, networkID: settings.networkID };
}

/** The id of something in the cloud. */
function uuid(reader: AnnotationReader, name: string): string | undefined {
  const text = reader.text(name);
  if (text !== undefined) requireUuid(name, text);
  return text;
}

/** Throws ServiceRefused for the value of an annotation that is no id. */
export function requireUuid(name: string, text: string): void {
  if (UUID.test(text)) return;
  throw new ServiceRefused(`annotation ${name}: "${shown(text)}" is no id: it must be a UUID`);
}

function boundedText(reader: AnnotationReader, name: string): string | undefined {
  const text = reader.text(name);
  if (text === undefined || text.length <= MAX_TEXT) return text;
  throw new ServiceRefused(`annotation ${name}: has ${text.length} characters, and may have ${MAX_TEXT}`);
}

/** RequireDualStack means both, whatever has filled in the fields. */
function familiesOf({ spec }: Service): readonly Family[] {
  const named = (spec.ipFamilies ?? []).map((name): Family => (name === 'IPv6' ? 6 : 4));
  const families = [...new Set(named.length > 0 ? named : ([4] as const))];
  const isPair = spec.ipFamilyPolicy === 'RequireDualStack';
  return isPair && families.length === 1 ? [...families, families[0] === 4 ? 6 : 4] : families;
}

function requestedAddress({ spec }: Service, families: readonly Family[]): string | undefined {
  const { loadBalancerIP: address } = spec;
  if (!address) return undefined;
  const found = canonical(address);
  if (found !== undefined && families.includes(familyOf(found))) return found;
  const names = families.map((family) => `IPv${family}`).join(' or ');
  throw new ServiceRefused(`spec.loadBalancerIP: "${shown(address)}" is no ${names} address`);
}

function floatingWish(
  reader: AnnotationReader,
  chosen: LoadBalancerClass,
  settings: LoadBalancerSettings,
  address: string | undefined,
): FloatingIPWish | undefined {
  const networkID =
    chosen.floatingNetworkID ?? uuid(reader, ANNOTATION.floatingNetworkID) ?? settings.floatingNetworkID;
  if (networkID === undefined) {
    reader.warn(
      'LoadBalancerForcedInternal',
      'the load balancer has no floating IP: the cluster has no external network; name one with the annotation ' +
        `${ANNOTATION.floatingNetworkID}, or say that it is to be internal with ${ANNOTATION.internal}: "true"`,
    );
    return undefined;
  }
  const ofClass = floatingSubnetsOf(reader, chosen);
  if (ofClass !== undefined) return { networkID, ...ofClass, address };
  const subnetID = uuid(reader, ANNOTATION.floatingSubnetID);
  const subnets = subnetChoice(
    {
      name: boundedText(reader, ANNOTATION.floatingSubnet),
      tags: boundedText(reader, ANNOTATION.floatingSubnetTags),
    },
    `annotation ${ANNOTATION.floatingSubnet}`,
  );
  const isOwnChoice = subnetID !== undefined || subnets !== undefined;
  if (isOwnChoice) return { networkID, subnetID, subnets, address };
  return { networkID, ...defaultFloatingSubnets(settings, networkID), address };
}

function flavorOf(reader: AnnotationReader): Wishes['flavor'] {
  const id = uuid(reader, ANNOTATION.flavorID);
  const name = boundedText(reader, ANNOTATION.ovhFlavor);
  if (id !== undefined && name !== undefined) {
    reader.warn('InvalidAnnotation', `annotation ${ANNOTATION.ovhFlavor} has no effect beside ${ANNOTATION.flavorID}`);
  }
  if (id !== undefined) return { id };
  return name === undefined ? undefined : { name };
}

const ALGORITHMS: readonly Algorithm[] = ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP'];

/** OVN has one algorithm. */
function algorithmOf(
  reader: AnnotationReader,
  settings: LoadBalancerSettings,
  provider: string | undefined,
): Algorithm {
  const values = isOvn(provider) ? (['SOURCE_IP_PORT'] as const) : ALGORITHMS;
  return (
    reader.oneOf(ANNOTATION.algorithm, values) ??
    (isOvn(provider) ? 'SOURCE_IP_PORT' : (settings.algorithm ?? 'ROUND_ROBIN'))
  );
}

/** Octavia's defaults are written too, so that an annotation that goes takes its effect along. */
function timeoutsOf(reader: AnnotationReader, provider: string | undefined): Timeouts | undefined {
  const read = (name: string, otherwise: number) => reader.integer(name, { min: 0, max: MAX_TIMEOUT_MS }) ?? otherwise;
  const timeouts = {
    clientData: read(ANNOTATION.timeoutClientData, 50_000),
    memberConnect: read(ANNOTATION.timeoutMemberConnect, 5_000),
    memberData: read(ANNOTATION.timeoutMemberData, 50_000),
    tcpInspect: read(ANNOTATION.timeoutTcpInspect, 0),
  };
  return isOvn(provider) ? undefined : timeouts;
}

/** `zone=a,gpu`: a key alone means that the label is there. */
function nodeSelectorOf(reader: AnnotationReader, settings: LoadBalancerSettings): ReadonlyMap<string, string | null> {
  const isOwn = reader.has(ANNOTATION.nodeSelector);
  const text = isOwn ? reader.text(ANNOTATION.nodeSelector) : settings.nodeSelector;
  const parts = text?.split(',').map((part) => part.trim()) ?? [];
  const labels = parts.filter((part) => part !== '');
  if (labels.length > MAX_SELECTOR_LABELS) {
    const message = `has ${labels.length} labels, and may have ${MAX_SELECTOR_LABELS}`;
    throw new ServiceRefused(`annotation ${ANNOTATION.nodeSelector}: ${message}`);
  }
  return new Map(
    labels.map((label) => {
      const at = label.indexOf('=');
      return at < 0 ? [label, null] : [label.slice(0, at).trim(), label.slice(at + 1).trim()];
    }),
  );
}
