/** An additional interface of a server, in a network that its pool specifies. */
export interface AdditionalInterface {
  /** Identifies the interface on the node: interface names depend on the image. */
  readonly macAddress: string;
  /** IPv4 address with the prefix length of its subnet, such as `10.60.0.7/24`. */
  readonly address: string;
  /** Bytes. */
  readonly mtu?: number;
  /** The subnet's host routes, without default routes. */
  readonly routes: readonly { readonly destination: string; readonly gateway: string }[];
}

/**
 * systemd-networkd files that configure additional interfaces: address and routes, without DHCP or router
 * advertisements, because the node must not use their default routes and name servers. These files sort before those
 * that netplan writes (`10-netplan-…`), and the first matching file applies.
 */
export function additionalInterfaceFiles(
  interfaces: readonly AdditionalInterface[] = [],
): { readonly path: string; readonly content: string }[] {
  return interfaces.map((each, index) => ({
    path: `/etc/systemd/network/05-fairway-further-${index}.network`,
    content: networkFile(each),
  }));
}

function networkFile({ macAddress, address, mtu, routes }: AdditionalInterface): string {
  const link = [
    '[Link]',
    // The node works without this network.
    'RequiredForOnline=no',
    ...(mtu === undefined ? [] : [`MTUBytes=${mtu}`]),
  ];
  const sections = [
    // A pod's ipvlan interface has the same MAC address as its parent, but it also has a kind.
    ['[Match]', `MACAddress=${macAddress}`, 'Kind=!*'],
    link,
    ['[Network]', 'DHCP=no', 'LinkLocalAddressing=no', 'IPv6AcceptRA=no', `Address=${address}`],
    ...routes.map(({ destination, gateway }) => ['[Route]', `Destination=${destination}`, `Gateway=${gateway}`]),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/**
 * Commands for the first boot: by then, cloud-init has configured the interfaces as the cloud describes them, each with
 * its own default route. Later boots use the files from the start.
 */
export function additionalInterfaceCommands(interfaces: readonly AdditionalInterface[] = []): string[][] {
  if (interfaces.length === 0) return [];
  const macs = interfaces.map(({ macAddress }) => macAddress).join('|');
  const script = `networkctl reload
for dev in /sys/class/net/*; do
  grep -qixE '${macs}' "$dev/address" || continue
  while ip -4 route del default dev "\${dev##*/}" 2>/dev/null; do :; done
done`;
  return [['sh', '-c', script]];
}
