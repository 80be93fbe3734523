import { lookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Networks that are no place on the internet: this machine, private and shared ones, link-local, and the reserved. */
const INNER: readonly (readonly [network: string, bits: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  // Clouds serve a machine's own credentials here.
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

const inner = new BlockList();
for (const [network, bits, family] of INNER) inner.addSubnet(network, bits, family);

/** Whether an address is one that anybody on the internet could mean. IPv4 written as IPv6 counts as what it is. */
export function isPublic(address: string): boolean {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  const family = isIP(plain);
  if (family === 0 || /^::ffff:/i.test(plain)) return false;
  return !inner.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** A name that leads inside, where nobody who may only name places outside may lead us. */
export class InnerAddress extends Error {
  override readonly name = 'InnerAddress';
}

/**
 * Looks a name up for a connection and refuses it where any of its addresses is an inner one. The connection is
 * made to the very addresses that were checked, so a name that answers differently the next time gains nothing.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = found as LookupAddress[] | undefined;
    if (error) return callback(error, '', 0);
    const bad = addresses?.find(({ address }) => !isPublic(address));
    const [first] = addresses ?? [];
    if (bad || !first)
      return callback(
        new InnerAddress(`${hostname} leads to an inner address, where no call-back may go`),
        '',
        0,
      );
    if (options.all)
      return (callback as unknown as (e: null, all: LookupAddress[]) => void)(null, addresses ?? []);
    callback(null, first.address, first.family);
  });
};
