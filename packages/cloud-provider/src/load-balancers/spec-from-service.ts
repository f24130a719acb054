import { isIP } from 'node:net';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { dns1123SubdomainErrors, labelValueErrors, qualifiedNameErrors } from '@fairway/kube/object/names';
import { ANNOTATION, SERVICE_ANNOTATIONS, TUNING_ANNOTATIONS } from './annotation-names.ts';
import { AnnotationReader, type AnnotationRules, type Warning } from './annotation-reader.ts';
import { displayText } from './display-text.ts';
import { canonicalAddress, familyOf } from './families.ts';
import { subnetChoice } from './floating-subnets.ts';
import { classOf, defaultFloatingSubnets, floatingSubnetsOf } from './load-balancer-class.ts';
import type { Algorithm, Family, FloatingIPSpec, LoadBalancerSpec, Timeouts } from './load-balancer-spec.ts';
import { monitorSettingsOf, portSpecs } from './port-specs.ts';
import { isOvn, requireSupported } from './provider-limits.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LoadBalancerClass, LoadBalancerSettings } from './settings.ts';
import { sourceRangesOf } from './source-ranges.ts';
import { isLoadBalancerAnnotation, requireNotRestricted, restrictionOf } from './unread-annotations.ts';

const UUID_PATTERN = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
/** Octavia's maximum timeout: 24 days, in milliseconds. */
const MAX_TIMEOUT_MS = 24 * 24 * 60 * 60 * 1000;
const MAX_SELECTOR_LABELS = 32;
/** `prefix/name=value`, with up to 253, 63 and 63 characters. */
const MAX_LABEL_LENGTH = 381;
/** Octavia's maximum length of a name or reference. */
const MAX_TEXT_LENGTH = 255;

const ANNOTATION_RULES: AnnotationRules = {
  known: SERVICE_ANNOTATIONS,
  tuning: TUNING_ANNOTATIONS,
  isOfKind: isLoadBalancerAnnotation,
  restrictionOf,
};

/** The supported equivalent of other clouds' annotations. */
const ADVICE = {
  internal: `${ANNOTATION.internal}: "true", or "false" for a floating IP`,
  sources: 'spec.loadBalancerSourceRanges',
};

/** Throws ServiceRefused for unsupported settings; ignored settings result in warnings. Pure. */
export function specFromService(
  service: Service,
  settings: LoadBalancerSettings,
): { readonly balancerSpec: LoadBalancerSpec; readonly warnings: readonly Warning[] } {
  const { metadata, spec } = service;
  const reader = new AnnotationReader(metadata.annotations, ANNOTATION_RULES);
  const families = familiesOf(service);
  const provider = providerOf(reader, settings);
  const isInternal = reader.flag(ANNOTATION.internal) ?? settings.isInternal;
  const selectedClass = classOf(reader, settings);
  const address = requestedAddress(service, families);
  const isExternal = !isInternal && families.includes(4);
  const floatingAddress = address !== undefined && familyOf(address) === 4 ? address : undefined;
  const floatingIP = isExternal ? floatingIPSpec(reader, selectedClass, settings, floatingAddress) : undefined;
  const tlsContainerRef = tlsContainerRefOf(reader, settings, provider);
  const addsForwardedFor = reader.flag(ANNOTATION.xForwardedFor) ?? false;
  const balancerSpec: LoadBalancerSpec = {
    provider,
    families,
    needsAllFamilies: spec.ipFamilyPolicy === 'RequireDualStack',
    vip: {
      ...vipPlaceOf(reader, selectedClass, settings),
      portID: uuid(reader, ANNOTATION.portID),
      address: floatingIP && floatingAddress !== undefined ? undefined : address,
    },
    floatingIP,
    keepsFloatingIP: reader.flag(ANNOTATION.keepFloatingIP) ?? false,
    memberSubnetID: uuid(reader, ANNOTATION.memberSubnetID) ?? selectedClass.memberSubnetID ?? settings.memberSubnetID,
    flavor: flavorOf(reader),
    availabilityZone: boundedText(reader, ANNOTATION.availabilityZone),
    ports: portSpecs(service, reader, {
      provider,
      terminatesTls: tlsContainerRef !== undefined,
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
    hostname: hostnameOf(reader),
    hostnameSuffix: settings.hostnameSuffix,
  };
  requireSupported(balancerSpec);
  const isDecided = isInternal || reader.text(ANNOTATION.internal) !== undefined;
  requireNotRestricted(reader.unread, { isDecided, sourceRanges: balancerSpec.sourceRanges, advice: ADVICE });
  if (!families.includes(4) && !isInternal) {
    reader.warn('LoadBalancerFloatingIPSkipped', 'IPv6 has no floating IPs: clients connect to its own address');
  }
  return { balancerSpec, warnings: reader.warnings };
}

function providerOf(reader: AnnotationReader, settings: LoadBalancerSettings): string | undefined {
  if (reader.text(ANNOTATION.ovhClass) === 'iolb') {
    throw new ServiceRefused(`annotation ${ANNOTATION.ovhClass}: iolb is not supported; use octavia, or remove it`);
  }
  reader.oneOf(ANNOTATION.ovhClass, ['octavia']);
  return boundedText(reader, ANNOTATION.provider) ?? settings.provider;
}

/** The operator's default certificate applies unless a Service opts out or does not support it. */
function tlsContainerRefOf(
  reader: AnnotationReader,
  settings: LoadBalancerSettings,
  provider: string | undefined,
): string | undefined {
  if (reader.has(ANNOTATION.tlsContainerRef)) return boundedText(reader, ANNOTATION.tlsContainerRef);
  return isOvn(provider) || usesProxyProtocol(reader) ? undefined : settings.tlsContainerRef;
}

function usesProxyProtocol(reader: AnnotationReader): boolean {
  return reader.has(ANNOTATION.proxyProtocol) || reader.has(ANNOTATION.ovhProxyProtocol);
}

/** A subnet implies its network; with only a network, Octavia selects the subnet. */
function vipPlaceOf(
  reader: AnnotationReader,
  selectedClass: LoadBalancerClass,
  settings: LoadBalancerSettings,
): Pick<LoadBalancerSpec['vip'], 'subnetID' | 'networkID'> {
  const own = { subnetID: uuid(reader, ANNOTATION.subnetID), networkID: uuid(reader, ANNOTATION.networkID) };
  const { subnetID, networkID } = own.subnetID === undefined && own.networkID === undefined ? selectedClass : own;
  const isSubnetSet = subnetID !== undefined || networkID !== undefined;
  return isSubnetSet ? { subnetID, networkID } : { subnetID: settings.subnetID, networkID: settings.networkID };
}

/** The value of an annotation, which must be the ID of a cloud resource. */
function uuid(reader: AnnotationReader, name: string): string | undefined {
  const text = reader.text(name);
  if (text !== undefined) requireUuid(name, text);
  return text;
}

/** Throws ServiceRefused if the value of an annotation is not an ID. */
export function requireUuid(name: string, text: string): void {
  if (UUID_PATTERN.test(text)) return;
  throw new ServiceRefused(`annotation ${name}: "${displayText(text)}" is not an ID: it must be a UUID`);
}

function boundedText(reader: AnnotationReader, name: string): string | undefined {
  const text = reader.text(name);
  if (text === undefined || text.length <= MAX_TEXT_LENGTH) return text;
  throw new ServiceRefused(
    `annotation ${name}: has ${text.length} characters, but may have at most ${MAX_TEXT_LENGTH}`,
  );
}

/** RequireDualStack requires both families, regardless of defaulted fields. */
function familiesOf({ spec }: Service): readonly Family[] {
  const named = (spec.ipFamilies ?? []).map((name): Family => (name === 'IPv6' ? 6 : 4));
  const families = [...new Set(named.length > 0 ? named : ([4] as const))];
  const requiresDualStack = spec.ipFamilyPolicy === 'RequireDualStack';
  return requiresDualStack && families.length === 1 ? [...families, families[0] === 4 ? 6 : 4] : families;
}

function requestedAddress({ spec }: Service, families: readonly Family[]): string | undefined {
  const { loadBalancerIP: address } = spec;
  if (!address) return undefined;
  const found = canonicalAddress(address);
  if (found !== undefined && families.includes(familyOf(found))) return found;
  const names = families.map((family) => `IPv${family}`).join(' or ');
  throw new ServiceRefused(`spec.loadBalancerIP: "${displayText(address)}" is not a valid ${names} address`);
}

function floatingIPSpec(
  reader: AnnotationReader,
  selectedClass: LoadBalancerClass,
  settings: LoadBalancerSettings,
  address: string | undefined,
): FloatingIPSpec | undefined {
  const own = uuid(reader, ANNOTATION.floatingNetworkID);
  if (own !== undefined && selectedClass.floatingNetworkID !== undefined && own !== selectedClass.floatingNetworkID) {
    const message = `annotation ${ANNOTATION.floatingNetworkID} has no effect together with ${ANNOTATION.class}`;
    reader.warn('InvalidAnnotation', message);
  }
  const networkID = selectedClass.floatingNetworkID ?? own ?? settings.floatingNetworkID;
  if (networkID === undefined) {
    reader.warn(
      'LoadBalancerForcedInternal',
      'no floating IP can be assigned: the cluster has no external network; specify one with the annotation ' +
        `${ANNOTATION.floatingNetworkID}, or make the load balancer internal with ${ANNOTATION.internal}: "true"`,
    );
    return undefined;
  }
  const classSubnets = floatingSubnetsOf(reader, selectedClass);
  if (classSubnets !== undefined) return { networkID, ...classSubnets, address };
  const subnetID = uuid(reader, ANNOTATION.floatingSubnetID);
  const subnets = subnetChoice(
    {
      name: boundedText(reader, ANNOTATION.floatingSubnet),
      tags: boundedText(reader, ANNOTATION.floatingSubnetTags),
    },
    `annotation ${ANNOTATION.floatingSubnet}`,
  );
  const overridesSubnet = subnetID !== undefined || subnets !== undefined;
  if (overridesSubnet) return { networkID, subnetID, subnets, address };
  return { networkID, ...defaultFloatingSubnets(settings, networkID), address };
}

function flavorOf(reader: AnnotationReader): LoadBalancerSpec['flavor'] {
  const id = uuid(reader, ANNOTATION.flavorID);
  const name = boundedText(reader, ANNOTATION.ovhFlavor);
  if (id !== undefined && name !== undefined) {
    reader.warn(
      'InvalidAnnotation',
      `annotation ${ANNOTATION.ovhFlavor} has no effect together with ${ANNOTATION.flavorID}`,
    );
  }
  if (id !== undefined) return { id };
  return name === undefined ? undefined : { name };
}

const ALGORITHMS: readonly Algorithm[] = ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP'];
const OVHCLOUD_ALGORITHMS = { roundrobin: 'ROUND_ROBIN', leastconn: 'LEAST_CONNECTIONS', source: 'SOURCE_IP' } as const;
const OVHCLOUD_NAMES = Object.keys(OVHCLOUD_ALGORITHMS) as (keyof typeof OVHCLOUD_ALGORITHMS)[];

/** OVN supports only one algorithm. */
function algorithmOf(
  reader: AnnotationReader,
  settings: LoadBalancerSettings,
  provider: string | undefined,
): Algorithm {
  const own = reader.oneOf(ANNOTATION.algorithm, isOvn(provider) ? (['SOURCE_IP_PORT'] as const) : ALGORITHMS);
  if (isOvn(provider)) {
    if (reader.text(ANNOTATION.ovhAlgorithm) !== undefined) {
      reader.warn('InvalidAnnotation', `annotation ${ANNOTATION.ovhAlgorithm} has no effect with provider ovn`);
    }
    return 'SOURCE_IP_PORT';
  }
  const ovh = reader.oneOf(ANNOTATION.ovhAlgorithm, OVHCLOUD_NAMES);
  return own ?? (ovh && OVHCLOUD_ALGORITHMS[ovh]) ?? settings.algorithm ?? 'ROUND_ROBIN';
}

/** Octavia's defaults are sent explicitly, so removing an annotation reverts its effect. */
function timeoutsOf(reader: AnnotationReader, provider: string | undefined): Timeouts | undefined {
  const read = (name: string, defaultMs: number) => reader.integer(name, { min: 0, max: MAX_TIMEOUT_MS }) ?? defaultMs;
  const timeouts = {
    clientData: read(ANNOTATION.timeoutClientData, 50_000),
    memberConnect: read(ANNOTATION.timeoutMemberConnect, 5_000),
    memberData: read(ANNOTATION.timeoutMemberData, 50_000),
    tcpInspect: read(ANNOTATION.timeoutTcpInspect, 0),
  };
  return isOvn(provider) ? undefined : timeouts;
}

/** Parses `zone=a,gpu`: a key without a value only requires the label. */
function nodeSelectorOf(reader: AnnotationReader, settings: LoadBalancerSettings): ReadonlyMap<string, string | null> {
  const isOwn = reader.has(ANNOTATION.nodeSelector);
  const text = isOwn ? reader.text(ANNOTATION.nodeSelector) : settings.nodeSelector;
  const parts = text?.split(',').map((part) => part.trim()) ?? [];
  const labels = parts.filter((part) => part !== '');
  if (labels.length > MAX_SELECTOR_LABELS) {
    const message = `has ${labels.length} labels, but may have at most ${MAX_SELECTOR_LABELS}`;
    throw new ServiceRefused(`annotation ${ANNOTATION.nodeSelector}: ${message}`);
  }
  const where = isOwn ? `annotation ${ANNOTATION.nodeSelector}` : 'node-selector';
  return new Map(labels.map((label) => selectedLabel(label, where)));
}

/** Throws ServiceRefused for an invalid label, because a typo would leave the load balancer without members. */
function selectedLabel(label: string, where: string): readonly [string, string | null] {
  const at = label.indexOf('=');
  const key = at < 0 ? label : label.slice(0, at).trim();
  const value = at < 0 ? null : label.slice(at + 1).trim();
  const isValidLabel =
    label.length <= MAX_LABEL_LENGTH &&
    qualifiedNameErrors(key).length === 0 &&
    labelValueErrors(value ?? '').length === 0;
  if (isValidLabel) return [key, value];
  throw new ServiceRefused(
    `${where}: "${displayText(label)}" is not a label: use a form such as zone=a, or zone for any value`,
  );
}

/**
 * Accepts only a valid host name: otherwise the API server would reject it in `status.loadBalancer`, and with it the
 * whole status.
 */
function hostnameOf(reader: AnnotationReader): string | undefined {
  const text = reader.text(ANNOTATION.hostname);
  if (text === undefined) return undefined;
  if (text.length <= MAX_TEXT_LENGTH && isIP(text) === 0 && dns1123SubdomainErrors(text).length === 0) return text;
  reader.warnInvalid(ANNOTATION.hostname, text, 'a lowercase host name such as shop.example.org');
  return undefined;
}
